import { createClient } from '../../dist/client/client.js'
import { realEffects } from '../../dist/effects.js'
import { resources } from '../../dist/resources/index.js'
import { resolveStorage } from '../../dist/sdk/resolve-storage.js'
import { type SyncResult, sync } from '../../dist/sync/sync-accounts.js'

const DAY = 86_400

/** Syncs all incidents into a new or existing warehouse, without rate limits in the client. */
export async function firstSync(options: {
  baseUrl: string
  appKey: string
  path: string
  /** Unix seconds. By default 800 days ago, before the first incident of a company with a million incidents. */
  since?: number | undefined
  memory?: string | undefined
}): Promise<SyncResult> {
  const { baseUrl, appKey, path, since, memory } = options
  const client = createClient({ baseUrl, appKey, quota: Number.POSITIVE_INFINITY })
  try {
    return await sync({
      client,
      published: await resolveStorage(path),
      resources: resources.filter((resource) => resource.table === 'incidents'),
      known: resources,
      effects: realEffects(),
      version: 'bench',
      signal: new AbortController().signal,
      ...(memory === undefined ? {} : { memoryLimit: memory }),
      scope: (now) => ({
        now,
        since: since ?? now - 800 * DAY,
        lookbackDays: 31,
        windowSeconds: 31 * DAY,
        full: false,
      }),
    })
  } finally {
    await client.close()
  }
}
