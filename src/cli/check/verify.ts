import { existsSync } from 'node:fs'
import {
  accountFiles,
  noWarehouse,
  type WarehouseFiles,
  warehouseFiles,
  workingAccounts,
} from '../../warehouse/file/files.ts'
import { holderOf } from '../../warehouse/file/lock.ts'
import { verifyFile } from '../../warehouse/file/verify.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

/** Reads every block of the published copy, the former one and the working files; nothing is changed. */
export async function* verifyWarehouse(path: string): AsyncGenerator<Finding> {
  const files = warehouseFiles(path)
  if (!existsSync(files.published)) yield failed('published copy', noWarehouse(path))
  else yield await verified('published copy', files.published, true)
  if (existsSync(files.former)) yield await verified('former copy', files.former, true)
  for (const account of workingAccounts(files)) yield await verifiedAccount(files, account)
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
