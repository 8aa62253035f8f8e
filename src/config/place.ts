import { join, resolve } from 'node:path'
import { isLake, Lake, type LakeFields } from './lake.ts'
import type { Variable } from './object-store.ts'

/**
 * Where a warehouse is: the path of its file, or a lake. As text it is what people know it by. Which of the two it is only
 * `warehouse/file-or-lake.ts` asks.
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

/** The health file where none is named: beside the file of the warehouse, or in this machine's folder of a lake. */
export function healthFileBeside(place: Place): string {
  return typeof place === 'string' ? `${place}.health.json` : join(place.work, 'health.json')
}
