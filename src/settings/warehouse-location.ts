import { join, resolve } from 'node:path'
import { ConfigError } from '../errors.ts'
import { isLake, Lake, type LakeFields, lakeSchema } from './lake.ts'
import type { ObjectStore, Variable } from './object-store.ts'
import { pathFrom } from './secret-file.ts'

/** A warehouse: the path of a file, or a lake. Only this file and `sdk/resolve-storage.ts` check which one it is. */
export type WarehouseLocation = string | Lake

/** A location as plain data, which can be sent to another process. It contains the secrets of a lake. */
export type PlainLocation =
  | string
  | (Omit<Lake, 'password' | 'store' | 'toString' | 'toJSON'> & {
      readonly password: string | undefined
      readonly store: (Omit<ObjectStore, 'secret'> & { readonly secret: string | undefined }) | undefined
    })

/** Converts a location to plain data. @throws ConfigError if a file with a secret cannot be read */
export function toPlainLocation(place: WarehouseLocation): PlainLocation {
  if (typeof place === 'string') return place
  const { password, store, ...fields } = place
  return { ...fields, password: password(), store: store && { ...store, secret: store.secret() } }
}

export function fromPlainLocation(plain: PlainLocation): WarehouseLocation {
  if (typeof plain === 'string') return plain
  const { password, store, ...fields } = plain
  return Object.assign(Object.create(Lake.prototype) as Lake, {
    ...fields,
    password: () => password,
    store: store && { ...store, secret: () => store.secret },
  })
}

/**
 * @param how.fields returns the section `lake`; called only if `address` names a lake
 * @param how.seenFrom folder to which the path of a warehouse file is relative
 * @throws ConfigError if the address or a lake field is invalid
 */
export function parseLocation(
  address: string,
  how: {
    readonly fields: () => LakeFields
    readonly folder: string
    readonly variable: Variable
    readonly seenFrom: string
  },
): WarehouseLocation {
  return isLake(address)
    ? new Lake(address, how.fields(), how.folder, how.variable)
    : refuseQuestionMark(resolve(how.seenFrom, fileOf(address)))
}

/** Rejects a path with a question mark. DuckDB would read the text after the mark as parameters. @throws ConfigError */
export function refuseQuestionMark(path: string): string {
  if (!path.includes('?')) return path
  throw new ConfigError(`The path of the warehouse contains a question mark: ${path}.`, {
    next: 'DuckDB cannot write there. Rename the folder or the file, or use another path.',
    field: 'warehouse',
  })
}

/** Returns the address if it can be a file name. @throws ConfigError otherwise */
function fileOf(address: string): string {
  const refusal = (message: string, next: string) => new ConfigError(message, { next, field: 'warehouse' })
  if (address === ':memory:')
    throw refusal('A warehouse in memory cannot be read by another command.', 'Use a file: faultline.duckdb')
  // A shell replaces ~ with the home folder, but Node does not.
  if (address.startsWith('~'))
    throw refusal(`The warehouse "${address}" begins with ~.`, 'Use the absolute path.')
  const scheme = /^[a-z][a-z0-9+.-]+:/i.exec(address)?.[0]
  if (scheme === undefined) return address
  throw refusal(
    `The warehouse "${scheme}…" is not a local file.`,
    `Use a file, or a lake such as ducklake:postgres:…; for a file of this name write ./${scheme}…`,
  )
}

/** Validates the lake options that a program passes to the SDK. @throws ConfigError naming an invalid field */
export function lakeFieldsOf(given: unknown): LakeFields {
  const { data, error } = lakeSchema.safeParse(given)
  if (data) return data
  const [{ path, message }] = error.issues as [(typeof error.issues)[number]]
  throw new ConfigError(`lake.${path.join('.')}: ${message}.`)
}

/** Returns the path of the health file. Default: next to the warehouse file, or in the work folder of a lake. */
export function healthFileOf(
  { healthFile }: { readonly healthFile?: string | undefined },
  folder: string,
  place: WarehouseLocation,
): string {
  const beside = typeof place === 'string' ? `${place}.health.json` : join(place.work, 'health.json')
  return pathFrom(folder, healthFile) ?? beside
}
