import { existsSync } from 'node:fs'
import { WarehouseError } from '../errors.ts'
import { warehouseFiles } from './files.ts'

/** Nothing was published at `path` yet: no sync was run, or the first one has not read everything so far. */
export function noWarehouse(path: string): WarehouseError {
  const hasBegun = existsSync(warehouseFiles(path).working)
  return new WarehouseError(`There is no warehouse at ${path}${hasBegun ? ' yet' : ''}.`, {
    next: hasBegun
      ? 'The first sync has not read everything so far: wait for it, or run `faultline sync`, which goes on where it ended.'
      : 'Run `faultline sync` first.',
  })
}
