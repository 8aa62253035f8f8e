import { checkOptions, type Expected } from '../check-options.ts'
import type { PrivacyRules } from '../config/privacy-section.ts'
import type { Progress, RunSummary } from '../sync/run-sync.ts'
import { resolveStorage } from './resolve-storage.ts'
import { settingsBy } from './warehouse-source.ts'

export interface SyncOptions {
  readonly baseUrl: string
  readonly appKey: string
  /** Permits an `http://` address, which receives the key unencrypted. Not needed for an address on this machine. */
  readonly insecure?: boolean | undefined
  /** Path of the DuckDB file for readers. The sync keeps its working files next to this file. */
  readonly warehouse: string
  /** Earliest start time of incidents to sync (default: 365 days ago). */
  readonly since?: Date | undefined
  /** Tables to sync, such as `incidents` (default: all). */
  readonly resources?: readonly string[] | undefined
  /** Path of a configuration. Its section `reporting` is stored in the warehouse for all readers. */
  readonly config?: string | undefined
  /** Folder of custom SQL views and metrics to store in the warehouse for all readers. */
  readonly publishSql?: string | undefined
  /** Share of the account's rate limits to use, above 0 and up to 1 (the default). */
  readonly quota?: number | undefined
  /** Reads all records again, instead of only new and changed ones. */
  readonly full?: boolean | undefined
  /** Columns to drop (such as `members.phone`) or to hash. The salt of the hashes must have at least 16 characters. */
  readonly privacy?: { readonly [Key in keyof PrivacyRules]?: PrivacyRules[Key] | undefined } | undefined
  /** Stops the sync. Stored data is kept, and the next sync continues from there. */
  readonly signal?: AbortSignal | undefined
  /** Called after each page of records. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Result of a sync. Durations are in seconds, and times are Unix seconds. */
export type SyncResult = RunSummary & {
  /** Whether the data was published to readers. */
  readonly published: boolean
}

const EXPECTED = {
  ...{ baseUrl: 'required', appKey: 'required', warehouse: 'required', since: 'date', resources: 'list' },
  ...{ insecure: 'boolean', config: 'text', publishSql: 'text', quota: 'number', full: 'boolean' },
  ...{ privacy: 'object', signal: 'signal', onProgress: 'function' },
} as const satisfies Expected<SyncOptions>

/**
 * Syncs one account and publishes its data, like `faultline sync`. If a resource fails, the sync continues with the
 * next resource, and `failures` in the result lists the error.
 * @throws ConfigError for an invalid option, ServiceError or NetworkError if the service is unusable, WarehouseError if
 * the file cannot be written or another process is syncing the account, or the signal's reason if aborted
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
