import { createClient } from '../../dist/client/client.js'
import { realEffects } from '../../dist/effects.js'
import { resources } from '../../dist/resources/index.js'
import { type SyncResult, sync } from '../../dist/sync/sync.js'

const DAY = 86_400

/** All incidents of a service into a new warehouse, without limits on this side, everything else as it is by default. */
export async function firstSync(options: {
  baseUrl: string
  appKey: string
  path: string
  /** Unix seconds; more than twenty years ago unless given. */
  since?: number | undefined
  memory?: string | undefined
}): Promise<SyncResult> {
  const { baseUrl, appKey, path, since, memory } = options
  const client = createClient({ baseUrl, appKey, quota: Number.POSITIVE_INFINITY })
  try {
    return await sync({
      client,
      path,
      resources: resources.filter((resource) => resource.table === 'incidents'),
      known: resources,
      effects: realEffects(),
      concurrency: 8,
      version: 'bench',
      signal: new AbortController().signal,
      ...(memory === undefined ? {} : { memoryLimit: memory }),
      scope: (now) => ({
        now,
        since: since ?? now - 8_000 * DAY,
        lookbackDays: 31,
        windowSeconds: 31 * DAY,
        full: false,
      }),
    })
  } finally {
    await client.close()
  }
}
