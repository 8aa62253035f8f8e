import type { Place } from '../config/lake.ts'

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

/** The place of a file, or of a lake. @throws ConfigError for an address or options that are none */
export async function placeOf(warehouse: string, lake: LakeOptions | undefined): Promise<Place> {
  const { isLake, Lake, lakeSchema } = await import('../config/lake.ts')
  if (!isLake(warehouse)) return warehouse
  const { password, s3, ...fields } = lake ?? {}
  const { secret, ...store } = s3 ?? {}
  const { data, error } = lakeSchema.safeParse({ ...fields, ...(s3 && { s3: store }) })
  if (error) {
    const { ConfigError } = await import('../errors.ts')
    throw new ConfigError(`lake.${error.issues[0]!.path.join('.')}: ${error.issues[0]!.message}.`)
  }
  const secrets: Record<string, string | undefined> = {
    FAULTLINE_LAKE_PASSWORD: password,
    FAULTLINE_S3_SECRET: secret,
  }
  return new Lake(warehouse, data, process.cwd(), (name) => secrets[name])
}
