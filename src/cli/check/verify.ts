import { existsSync } from 'node:fs'
import type { Lake, Place } from '../../config/lake.ts'
import {
  accountFiles,
  noWarehouse,
  type WarehouseFiles,
  warehouseFiles,
  workingAccounts,
} from '../../warehouse/file/files.ts'
import { holderOf } from '../../warehouse/file/lock.ts'
import { verifyFile } from '../../warehouse/file/verify.ts'
import { verifyInLake } from '../../warehouse/lake/contents.ts'
import { accountsInLake } from '../../warehouse/lake/restore.ts'
import { type Finding, fail, failed, ok, warn } from './finding.ts'

/** Reads every block of the published copy, the former one and the working files; nothing is changed. */
export async function* verifyWarehouse(place: Place): AsyncGenerator<Finding> {
  const files = warehouseFiles(place)
  if (files.lake) yield* verifyLake(files.lake)
  else if (!existsSync(files.published)) yield failed('published copy', noWarehouse(place))
  else yield await verified('published copy', files.published, true)
  if (existsSync(files.former)) yield await verified('former copy', files.former, true)
  for (const account of workingAccounts(files)) yield await verifiedAccount(files, account)
}

async function* verifyLake(lake: Lake): AsyncGenerator<Finding> {
  try {
    const accounts = await accountsInLake(lake)
    if (accounts.size === 0) yield failed('lake', noWarehouse(lake))
    for (const account of accounts.keys()) {
      const wrong = await verifyInLake(lake, account)
      const said = wrong.map(
        ({ table, rows, published }) => `${table} (${rows} rows, published ${published})`,
      )
      yield wrong.length === 0
        ? ok(`lake, account ${account}`, 'every value was read, and is what was published')
        : fail(
            `lake, account ${account}`,
            `not what was published: ${said.join(', ')}`,
            'Run `faultline maintain --repair`, or restore what was changed in the store.',
          )
    }
  } catch (error) {
    yield failed('lake', error)
  }
}

async function verifiedAccount(files: WarehouseFiles, account: bigint): Promise<Finding> {
  const { working, lock } = accountFiles(files, account)
  const check = `account ${account}`
  const holder = await holderOf(lock)
  if (holder === undefined) return verified(check, working, false)
  return warn(check, `a sync is writing ${working} (process ${holder.pid})`, 'Check again when it has ended.')
}

/** @param counts whether its rows are those that its ledger says */
async function verified(check: string, file: string, counts: boolean): Promise<Finding> {
  try {
    await verifyFile(file, { counts })
    return ok(check, `${file}: every block was read${counts ? ', rows agree with the ledger' : ''}`)
  } catch (error) {
    return failed(check, error)
  }
}
