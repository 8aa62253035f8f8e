import { join, resolve } from 'node:path'
import { ConfigError } from '../errors.ts'
import { isLake, Lake, type LakeFields, lakeSchema } from './lake.ts'
import type { ObjectStore, Variable } from './object-store.ts'
import { pathFrom } from './secret-file.ts'

/**
 * Where a warehouse is: the path of its file, or a lake. As text it is what people know it by. Outside of `config/` only
 * `sdk/resolve-storage.ts` asks which of the two it is.
 */
export type WarehouseLocation = string | Lake

/** A place as it is sent to another process, with the secrets that are read there. */
export type PlainLocation =
  | string
  | (Omit<Lake, 'password' | 'store' | 'toString' | 'toJSON'> & {
      readonly password: string | undefined
      readonly store: (Omit<ObjectStore, 'secret'> & { readonly secret: string | undefined }) | undefined
    })

/** Returns a place without functions. @throws ConfigError when a file of a secret cannot be read */
export function toPlainLocation(place: WarehouseLocation): PlainLocation {
  if (typeof place === 'string') return place
  const { password, store, ...fields } = place
  return { ...fields, password: password(), store: store && { ...store, secret: store.secret() } }
}

/** Returns the place that `toPlainLocation` was given. */
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
 * @param how.fields the section `lake`, which only a lake needs; its paths are seen from `folder`
 * @param how.variable reads the environment
 * @param how.seenFrom folder that the path of a file is seen from
 * @throws ConfigError when it names a lake, and the address or a field is wrong, or neither a lake nor a file
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

/** Returns a path that DuckDB can write to. @throws ConfigError for a question mark, after which DuckDB expects parameters */
export function refuseQuestionMark(path: string): string {
  if (!path.includes('?')) return path
  throw new ConfigError(`The path of the warehouse contains a question mark: ${path}.`, {
    next: 'DuckDB cannot write there. Rename the folder or the file, or name another path.',
    field: 'warehouse',
  })
}

/** @throws ConfigError for what elsewhere is no file, and would become one of that name here */
function fileOf(address: string): string {
  const refusal = (message: string, next: string) => new ConfigError(message, { next, field: 'warehouse' })
  if (address === ':memory:')
    throw refusal('A warehouse in memory cannot be read by another command.', 'Name a file: faultline.duckdb')
  // Only a shell knows whose folder it is; a letter alone before the colon is a drive.
  if (address.startsWith('~'))
    throw refusal(`The warehouse "${address}" begins with ~.`, 'Write the whole path, from / on.')
  const scheme = /^[a-z][a-z0-9+.-]+:/i.exec(address)?.[0]
  if (scheme === undefined) return address
  throw refusal(
    `The warehouse "${scheme}…" is no file of this machine.`,
    `Name a file, or a lake as ducklake:postgres:…; a file of that name is ./${scheme}…`,
  )
}

/** The section `lake` of who gives it without a configuration file. @throws ConfigError that names a wrong field */
export function lakeFieldsOf(given: unknown): LakeFields {
  const { data, error } = lakeSchema.safeParse(given)
  if (data) return data
  const [{ path, message }] = error.issues as [(typeof error.issues)[number]]
  throw new ConfigError(`lake.${path.join('.')}: ${message}.`)
}

/** The health file: beside the file of the warehouse or in this machine's folder of a lake, unless another was named. */
export function healthFileOf(
  { healthFile }: { readonly healthFile?: string | undefined },
  folder: string,
  place: WarehouseLocation,
): string {
  const beside = typeof place === 'string' ? `${place}.health.json` : join(place.work, 'health.json')
  return pathFrom(folder, healthFile) ?? beside
}
