import type { Resource } from '../resources/resource.ts'
import { rewriteFiles } from '../warehouse/rewrite-files.ts'
import { openWarehouse, type Warehouse, type WarehouseOptions } from '../warehouse/warehouse.ts'
import { applyPrivacy, followsRules } from './apply-privacy.ts'

/**
 * Opens the warehouse for writing. When the privacy rules are others than those it was written under, everything in it
 * is brought under them first, also the published copy, so that no trace of a plain value stays in either file.
 * @param known every resource there is, with the rules built in
 * @throws WarehouseError as `openWarehouse` does, and when the files cannot be written anew
 */
export async function openUnderRules(
  path: string,
  known: readonly Resource[],
  options: WarehouseOptions = {},
): Promise<Warehouse> {
  const warehouse = await openWarehouse(path, known, options)
  let follows = false
  try {
    follows = await followsRules(warehouse.db, known)
    if (follows) return warehouse
  } finally {
    if (!follows) await warehouse.close()
  }
  await rewriteFiles(warehouse.files, (db) => applyPrivacy(db, known))
  return openWarehouse(path, known, options)
}
