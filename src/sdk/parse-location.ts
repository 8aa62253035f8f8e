import type { WarehouseLocation } from '../settings/warehouse-location.ts'

/** Access to a lake, as in the section `lake` of the configuration, but with secrets instead of secret files. */
export interface LakeOptions {
  /** Folder of the data files, or `s3://bucket/prefix/`. */
  readonly data: string
  /** Password for PostgreSQL. */
  readonly password?: string
  /** Folder of DuckDB extensions. If undefined, they are downloaded. */
  readonly extensions?: string
  readonly s3?: {
    /** Host and port of a store other than Amazon's. */
    readonly endpoint?: string
    /** Default: us-east-1. */
    readonly region?: string
    /** Style of bucket addresses (default: vhost). */
    readonly urlStyle?: 'vhost' | 'path'
    /** Whether to use http:// without encryption. */
    readonly insecure?: boolean
    readonly keyId: string
    readonly secret: string
  }
}

/** Parses a warehouse address. @throws ConfigError for an invalid address or option */
export async function parseLocation(
  warehouse: string,
  lake: LakeOptions | undefined,
): Promise<WarehouseLocation> {
  const location = await import('../settings/warehouse-location.ts')
  const { password, s3, ...own } = lake ?? {}
  const { secret, ...store } = s3 ?? {}
  const secrets: Record<string, string | undefined> = {
    FAULTLINE_LAKE_PASSWORD: password,
    FAULTLINE_S3_SECRET: secret,
  }
  const folder = process.cwd()
  return location.parseLocation(warehouse, {
    fields: () => location.lakeFieldsOf({ ...own, ...(s3 && { s3: store }) }),
    folder,
    seenFrom: folder,
    variable: (name) => secrets[name],
  })
}
