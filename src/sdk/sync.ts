import { checkOptions, type Expected } from '../check-options.ts'
import type { Progress, RunSummary } from '../sync/run-sync.ts'
import { settingsBy } from './own-settings.ts'
import { resolveStorage } from './resolve-storage.ts'

/** What to read, from where, into which file. */
export interface SyncOptions {
  /** Address of the service. */
  readonly baseUrl: string
  readonly appKey: string
  /** Allows an address that begins with `http://`: the key crosses the network in the clear. This machine needs no permission. */
  readonly insecure?: boolean | undefined
  /** Path of the DuckDB file for readers; the sync keeps its working file beside it. */
  readonly warehouse: string
  /** Oldest incidents wanted; default: 365 days ago. */
  readonly since?: Date | undefined
  /** Tables to read, such as `incidents`; default: all. */
  readonly resources?: readonly string[] | undefined
  /** Path of a configuration whose `reporting` everybody who opens the file is to have; default: the defaults. */
  readonly config?: string | undefined
  /** Folder of views and metrics of your own that everybody who opens the file is to have. */
  readonly publishSql?: string | undefined
  /** Share of the account's rate limits to use, above 0 and up to 1 (the default). */
  readonly quota?: number | undefined
  /** Read everything again, whatever was read before. */
  readonly full?: boolean | undefined
  /** Columns that are not stored (`members.phone`), or only as a hash keyed by the salt, which has 16 characters or more. */
  readonly privacy?:
    | {
        readonly drop?: readonly string[] | undefined
        readonly hash?: readonly string[] | undefined
        readonly salt?: string | undefined
      }
    | undefined
  /** Stops it; what was stored is kept, and the next sync goes on from there. */
  readonly signal?: AbortSignal | undefined
  /** Called after each page that was read. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** What a sync did; seconds, Unix times and counts. */
export type SyncResult = RunSummary & {
  /** Whether readers see now what was read. */
  readonly published: boolean
}

const EXPECTED = {
  ...{ baseUrl: 'required', appKey: 'required', warehouse: 'required', since: 'date', resources: 'list' },
  ...{
    insecure: 'boolean',
    config: 'text',
    publishSql: 'text',
    quota: 'number',
    full: 'boolean',
    privacy: 'object',
    signal: 'signal',
    onProgress: 'function',
  },
} as const satisfies Expected<SyncOptions>

/**
 * Reads new and changed records of one account and publishes them, as `faultline sync` does. A resource that fails is in the
 * result (`status`, `failures`); the others finish.
 * @throws ConfigError for an option, ServiceError or NetworkError when the service could not be used, WarehouseError when the
 * file could not be written or another process is syncing the account, the signal's reason when it was aborted
 */
export async function sync(options: SyncOptions): Promise<SyncResult> {
  checkOptions('sync', options, EXPECTED)
  if (options.privacy)
    checkOptions('sync privacy', options.privacy, { drop: 'list', hash: 'list', salt: 'text' })
  const { baseUrl, appKey, insecure, quota, privacy, signal = new AbortController().signal } = options
  const [{ createClient }, { configSchema }, { realEffects }, { resources }] = await Promise.all([
    import('../client/client.ts'),
    import('../config/config-file.ts'),
    import('../effects.ts'),
    import('../resources/index.ts'),
  ])
  const { privacyRules } = await import('../config/privacy-section.ts')
  const { pickResources } = await import('../resources/index.ts')
  const { withPrivacy } = await import('../resources/privacy/with-privacy.ts')
  const { sync: run } = await import('../sync/sync-accounts.ts')
  const { version } = await import('../version.ts')
  const defaults = configSchema.parse({})
  const settings = await settingsBy({ config: options.config, sql: options.publishSql }, true)
  const { drop = [], hash = [], salt } = privacy ?? {}
  const known = withPrivacy(resources, privacyRules({ drop, hash }, undefined, salt))
  const client = createClient({ baseUrl, appKey, insecure, quota, signal })
  try {
    return await run({
      client,
      published: await resolveStorage(options.warehouse),
      known,
      resources: pickResources(options.resources, known),
      effects: realEffects(),
      signal,
      version,
      memoryLimit: defaults.sync.memoryLimit,
      settings,
      scope: (now) => ({
        now,
        since: options.since === undefined ? now - 365 * 86_400 : Math.floor(options.since.getTime() / 1_000),
        lookbackDays: defaults.sync.lookbackDays,
        windowSeconds: defaults.sync.windowDays,
        full: options.full ?? false,
      }),
      ...(options.onProgress && { onProgress: options.onProgress }),
    })
  } finally {
    await client.close()
  }
}
