import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteLiteral } from '../definitions/quote.ts'
import { WarehouseError } from '../errors.ts'
import { lakeReasonOf } from '../external-errors.ts'
import { isInStore, type ObjectStore } from '../settings/object-store.ts'

/** Returns the file of a DuckDB extension in a folder or its subfolders, or undefined if there is no such file. */
export function extensionFile(folder: string, extension: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const ending = `${extension}.duckdb_extension`
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => basename(file) === ending)
    .sort()
  return found[0] === undefined ? undefined : join(folder, found[0])
}

/**
 * Loads a DuckDB extension. Downloads the extension if no folder is configured. @throws WarehouseError that explains
 * the installation
 */
export async function loadExtension(
  connection: DuckDBConnection,
  extensions: string | undefined,
  extension: string,
): Promise<void> {
  const file = extensions === undefined ? undefined : extensionFile(extensions, extension)
  try {
    if (extensions === undefined) await connection.run(`install ${extension}`)
    else if (file === undefined) throw new Error(`it is not in ${extensions}`)
    await connection.run(`load ${file === undefined ? extension : quoteLiteral(file)}`)
  } catch (cause) {
    const [[version]] = (
      await connection.runAndReadAll('select library_version from pragma_version()')
    ).getRows() as [[string]]
    const wheel = `duckdb-extension-${extension.replaceAll('_', '-')}==${version.slice(1)}`
    throw new WarehouseError(`DuckDB's extension ${extension} cannot be loaded: ${lakeReasonOf(cause)}`, {
      cause,
      next: `Install it with \`pip install --target FOLDER ${wheel}\`, and set \`lake.extensions\` to that folder.`,
    })
  }
}

/**
 * Uploads four parts of 10 MB at a time to an object store. DuckDB's default, 50 parts of 80 MB, would exceed the
 * memory limit.
 */
const UPLOAD = "set global s3_uploader_max_filesize = '100GB'; set global s3_uploader_thread_limit = 4"

/** Permanently denies DuckDB access to files and servers, except to these locations and the folder for writing. */
export async function enclose(
  connection: DuckDBConnection,
  writing: { readonly folder: string; readonly store: ObjectStore | undefined } | undefined,
  locations: readonly string[] = [],
): Promise<void> {
  if (writing && isInStore(writing.folder)) await reachStore(connection, writing.store!, writing.folder)
  const allowed = [...locations, ...(writing ? [writing.folder] : [])].map(quoteLiteral)
  await connection.run(`set global allowed_directories = [${allowed.join(', ')}]`)
  await connection.run('set global enable_external_access = false')
}

/** Gives DuckDB access to everything below `scope`. @throws WarehouseError if the required extension is missing */
export async function reachStore(
  connection: DuckDBConnection,
  store: ObjectStore,
  scope: string,
): Promise<void> {
  await loadExtension(connection, store.extensions, 'httpfs')
  await connection.run(UPLOAD)
  const { s3 } = store
  const secret = store.secret()
  if (secret === undefined) return
  const options = {
    scope,
    key_id: s3.keyId,
    secret,
    region: s3.region ?? 'us-east-1',
    url_style: s3.urlStyle ?? 'vhost',
    ...(s3.endpoint === undefined ? {} : { endpoint: s3.endpoint }),
  }
  const written = Object.entries(options).map(([key, value]) => `${key} ${quoteLiteral(value)}`)
  const name = `store_${Buffer.from(scope).toString('hex')}`
  await makeSecret(connection, name, `type s3, use_ssl ${s3.insecure !== true}, ${written.join(', ')}`)
}

export async function makeSecret(connection: DuckDBConnection, name: string, fields: string): Promise<void> {
  await connection.run(`create secret ${name} (${fields})`).catch(() => {
    // DuckDB's message contains the secret, so it is not shown as the cause.
    throw new WarehouseError('DuckDB cannot use the secrets of the lake. They may contain a NUL.', {
      next: 'Set them again: FAULTLINE_LAKE_PASSWORD or `lake.passwordFile`, FAULTLINE_S3_SECRET or `lake.s3.secretFile`.',
    })
  })
}
