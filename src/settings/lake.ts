import { resolve } from 'node:path'
import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { optionalText } from './config-fields.ts'
import { isInStore, type ObjectStore, objectStoreSchema, storeOf, type Variable } from './object-store.ts'
import { pathFrom, secretIn } from './secret-file.ts'

/** Prefix of a lake address. A lake is a DuckLake with its catalog in PostgreSQL. */
const PREFIX = 'ducklake:postgres:'

export const lakeSchema = z
  .strictObject({
    data: optionalText('Location of the data: a folder that all machines share, or s3://bucket/prefix/.'),
    work: optionalText('Local folder for working files of syncs. Default: work.'),
    extensions: optionalText('Folder of DuckDB extensions. By default they are downloaded.'),
    passwordFile: optionalText(
      'File that contains only the password of PostgreSQL. FAULTLINE_LAKE_PASSWORD overrides it.',
    ),
    retentionDays: z
      .number()
      .min(1)
      .optional()
      .describe('Days to keep snapshots for queries of past data (`sql --at`). Default: 7.'),
    s3: objectStoreSchema
      .optional()
      .describe('Object store for `data` of a lake, or for `export --to` (also from a file).'),
  })
  .prefault({})

export type LakeFields = z.output<typeof lakeSchema>

/** A warehouse that many machines can write and read. `toString` and `toJSON` return its address without a password. */
export class Lake {
  /** Connection string for the PostgreSQL catalog, such as `host=db dbname=faultline user=worker`. */
  readonly catalogue: string
  /** Location of the data: the absolute path of a folder, or `s3://…`. Ends with a slash. */
  readonly data: string
  readonly work: string
  /** Absolute path of the folder that contains DuckDB extensions. Undefined if they are downloaded. */
  readonly extensions: string | undefined
  readonly retentionDays: number
  /** Time in milliseconds after which PostgreSQL releases the lock of a process that does not respond. */
  readonly silentMs: number = 60_000
  readonly store: ObjectStore | undefined
  /** @throws ConfigError if the password file cannot be read */
  readonly password: () => string | undefined

  /**
   * @param folder base of relative paths in `fields`
   * @throws ConfigError if the address is invalid or contains a password
   */
  constructor(address: string, fields: LakeFields, folder: string, variable: Variable) {
    const { data, work = 'work', extensions, passwordFile, retentionDays = 7 } = fields
    this.catalogue = address.slice(PREFIX.length).trim()
    if (!address.startsWith(PREFIX) || !/^\w+\s*=/.test(this.catalogue)) {
      throw new ConfigError('`warehouse` is not a valid lake address.', {
        next: `Write ${PREFIX}host=… dbname=… user=…`,
      })
    }
    if (hasPassword(this.catalogue)) {
      throw new ConfigError('`warehouse` contains the password of the lake, which would be shown.', {
        next: 'Remove it, and set FAULTLINE_LAKE_PASSWORD or `lake.passwordFile`.',
      })
    }
    if (data === undefined) {
      throw new ConfigError('The location of the lake data is missing.', {
        next: 'Set `lake.data`: a folder that all machines share, or s3://bucket/prefix/.',
      })
    }
    this.store = storeOf(fields, folder, variable)
    if (isInStore(data) && this.store === undefined) {
      throw new ConfigError('The lake data is in an object store, but its key is missing.', {
        next: 'Set `lake.s3.keyId`, and FAULTLINE_S3_SECRET or `lake.s3.secretFile`.',
      })
    }
    this.data = `${isInStore(data) ? data : resolve(folder, data)}/`.replace(/\/+$/, '/')
    this.work = resolve(folder, work)
    this.extensions = pathFrom(folder, extensions)
    this.retentionDays = retentionDays
    this.password = () =>
      variable('FAULTLINE_LAKE_PASSWORD') ??
      secretIn(pathFrom(folder, passwordFile), 'The password of the lake')
  }

  toString(): string {
    return `${PREFIX}${this.catalogue}`
  }

  toJSON(): string {
    return String(this)
  }
}

export function isLake(text: string): boolean {
  return text.startsWith('ducklake:')
}

export function hasPassword(text: string): boolean {
  return /\bpassword\s*=|:\/\/[^/\s]*:[^/\s]*@/i.test(text)
}
