import { z } from 'zod'
import { optionalText, text, yesOrNo } from './config-fields.ts'
import { pathFrom, secretIn } from './secret-file.ts'

export const objectStoreSchema = z.strictObject({
  endpoint: optionalText("Host and port of a store other than Amazon's."),
  region: optionalText('Region of the bucket. Default: us-east-1.'),
  urlStyle: z.enum(['vhost', 'path']).default('vhost').describe('Style of bucket addresses.'),
  insecure: yesOrNo.optional().describe('Uses http:// without encryption.'),
  keyId: text.describe('Id of the access key.'),
  secretFile: optionalText(
    'File that contains only the secret of the access key. FAULTLINE_S3_SECRET overrides it.',
  ),
})

/** An S3 bucket, and the key to access it. */
export interface ObjectStore {
  readonly s3: Omit<z.output<typeof objectStoreSchema>, 'secretFile'>
  /** Absolute path of the folder that contains DuckDB extensions. Undefined if they are downloaded. */
  readonly extensions: string | undefined
  /** Returns the secret of the key, or undefined if not configured. @throws ConfigError for an unreadable file */
  readonly secret: () => string | undefined
}

export function isInStore(text: string): boolean {
  return text.startsWith('s3://')
}

/** Returns the value of an environment variable. */
export type Variable = (name: string) => string | undefined

/** Returns the object store for a lake, or for exports from a warehouse file. Undefined if `s3` is not configured. */
export function storeOf(
  fields: {
    readonly extensions?: string | undefined
    readonly s3?: z.output<typeof objectStoreSchema> | undefined
  },
  folder: string,
  variable: Variable,
): ObjectStore | undefined {
  const { extensions, s3 } = fields
  return (
    s3 && {
      s3,
      extensions: pathFrom(folder, extensions),
      secret: () =>
        variable('FAULTLINE_S3_SECRET') ??
        secretIn(pathFrom(folder, s3.secretFile), 'The secret of the object store'),
    }
  )
}
