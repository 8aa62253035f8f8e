import { WarehouseError } from '../../errors.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import type { Session } from '../../warehouse/read/session.ts'
import { frameSql } from './frame-sql.ts'

/** The start (`from`) and end of the data are null if the warehouse is empty. `zone` belongs to the account. */
export async function dataEnd(session: Session) {
  const [row = {}] = objectsOf(await session.query(frameSql('as-of')))
  const { as_of_at: asOf, covered_from: from, account_time_zone: zone } = row
  return { asOf: asOf instanceof Date ? asOf : null, from: from instanceof Date ? from : null, zone }
}

export function emptyWarehouse(): WarehouseError {
  return new WarehouseError('The warehouse is empty: no data has been synced yet.', {
    next: 'Run `faultline sync` first.',
  })
}
