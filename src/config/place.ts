import { join, resolve } from 'node:path'
import { ConfigError } from '../errors.ts'
import { isLake, Lake, type LakeFields, lakeSchema } from './lake.ts'
import type { Variable } from './object-store.ts'
import { pathFrom } from './secret-file.ts'

/**
 * Where a warehouse is: the path of its file, or a lake. As text it is what people know it by. Outside of `config/` only
 * `warehouse/file-or-lake.ts` asks which of the two it is.
 */
export type Place = string | Lake

/**
 * @param how.fields the section `lake`, which only a lake needs; its paths are seen from `folder`
 * @param how.variable reads the environment
 * @param how.seenFrom folder that the path of a file is seen from
 * @throws ConfigError when it names a lake, and the address or a field is wrong
 */
export function placeOf(
  address: string,
  how: {
    readonly fields: () => LakeFields
    readonly folder: string
    readonly variable: Variable
    readonly seenFrom: string
  },
): Place {
  return isLake(address)
    ? new Lake(address, how.fields(), how.folder, how.variable)
    : resolve(how.seenFrom, address)
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
  place: Place,
): string {
  const beside = typeof place === 'string' ? `${place}.health.json` : join(place.work, 'health.json')
  return pathFrom(folder, healthFile) ?? beside
}
