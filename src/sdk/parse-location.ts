import type { WarehouseLocation } from '../settings/warehouse-location.ts'

/** How a lake is reached: the section `lake` of the configuration, with its secrets as values. */
export interface LakeOptions {
  /** Where its rows lie: a folder, or `s3://bucket/prefix/`. */
  readonly data: string
  /** Password of PostgreSQL. */
  readonly password?: string
  /** Folder that holds DuckDB's extensions; without it they are downloaded. */
  readonly extensions?: string
  /** The object store that the rows are in. */
  readonly s3?: {
    /** Host and port of a store that is not Amazon's. */
    readonly endpoint?: string
    /** Default: us-east-1. */
    readonly region?: string
    /** How the bucket is named in addresses; default: vhost. */
    readonly urlStyle?: 'vhost' | 'path'
    /** Speaks http://, without encryption. */
    readonly insecure?: boolean
    /** Id of the access key. */
    readonly keyId: string
    /** Secret of the access key. */
    readonly secret: string
  }
}

/** Where a warehouse is. @throws ConfigError for an address or options that are none */
export async function parseLocation(
  warehouse: string,
  lake: LakeOptions | undefined,
): Promise<WarehouseLocation> {
  const config = await import('../settings/warehouse-location.ts')
  const { password, s3, ...own } = lake ?? {}
  const { secret, ...store } = s3 ?? {}
  const secrets: Record<string, string | undefined> = {
    FAULTLINE_LAKE_PASSWORD: password,
    FAULTLINE_S3_SECRET: secret,
  }
  const folder = process.cwd()
  return config.parseLocation(warehouse, {
    fields: () => config.lakeFieldsOf({ ...own, ...(s3 && { s3: store }) }),
    ...{ folder, seenFrom: folder, variable: (name) => secrets[name] },
  })
}
