import { existsSync } from 'node:fs'
import { holderOf } from '../../warehouse/file/file-lock.ts'
import { accountFiles, type WarehouseFiles, workingAccounts } from '../../warehouse/file/files.ts'
import { checkFile } from '../../warehouse/file/verify-file.ts'
import type { CheckOutcome, Published } from '../../warehouse/published.ts'
import { type CheckResult, failed, ok, warn } from './check-result.ts'

/** Verifies the published copy, the previous copy and the working files by reading them completely. */
export async function* verifyWarehouse(published: Published): AsyncGenerator<CheckResult> {
  const { files } = published
  for await (const one of published.verify()) yield findingOf(one)
  if (existsSync(files.former)) yield findingOf(await checkFile('previous copy', files.former))
  for (const account of workingAccounts(files)) yield await verifiedAccount(files, account)
}

async function verifiedAccount(files: WarehouseFiles, account: bigint): Promise<CheckResult> {
  const { working, lock } = accountFiles(files, account)
  const check = `account ${account}`
  const holder = await holderOf(lock)
  if (holder === undefined) return findingOf(await checkFile(check, working, { counts: false }))
  return warn(check, `a sync is writing ${working} (process ${holder.pid})`, 'Check again after the sync.')
}

export function findingOf(checked: CheckOutcome): CheckResult {
  return 'error' in checked ? failed(checked.part, checked.error) : ok(checked.part, checked.found)
}
