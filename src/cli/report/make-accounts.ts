import { join, relative } from 'node:path'
import { replaceFile } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'
import { toPageList } from '../../render/to-index.ts'
import { byPeriod, type Listed } from '../../report/list.ts'
import { type RunOptions, runReport } from '../../report/run.ts'
import { accountsIn, pickAccounts, sessionsOf } from '../../report/scope/chosen.ts'
import { type FileFormat, writeReport } from '../../report/write.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'
import { countOf } from '../count-of.ts'
import { AT_ONCE, gateStatus, makeEach, writeIndex } from './each.ts'
import { accountFolder } from './out.ts'

/**
 * Makes the reports of every account by itself, or of those that were named, in `accounts/NAME-NUMBER/`, with an index each and one
 * of all. They are of one state of the warehouse. @returns the highest exit status
 */
export async function makeAccounts(
  context: Context,
  reader: Reader,
  reports: readonly Listed[],
  {
    wanted,
    out,
    files,
    jobs,
    options,
  }: {
    /** Names or numbers, separated by commas; all without it. */
    readonly wanted: string | undefined
    readonly out: string
    readonly files: readonly FileFormat[]
    readonly jobs: string | undefined
    readonly options: RunOptions
  },
): Promise<number> {
  const atOnce = countOf('--jobs', jobs) ?? AT_ONCE
  const known = await accountsIn(reader)
  const accounts = pickAccounts(known, wanted)
  if (accounts.length === 0) throw new ConfigError('The warehouse holds no account.', { next: 'Sync first.' })
  const folder = join(out, 'accounts')
  const status = await makeEach(context, accounts, byPeriod(reports), atOnce, async (account) => {
    const sessions = await sessionsOf(reader, account, known)
    return {
      async make(report) {
        const result = await runReport(report.file, sessions, { ...options, account: account.id })
        writeReport(result, join(folder, accountFolder(account)), files)
        return gateStatus(context, result, `${report.name} of ${account.name}`)
      },
      end: sessions.close,
    }
  })
  for (const account of accounts) writeIndex(join(folder, accountFolder(account)), account.name, reports)
  const pages = accounts.map((account) => ({
    page: `${encodeURIComponent(accountFolder(account))}/index.html`,
    title: account.name,
    description: '',
  }))
  replaceFile(join(folder, 'index.html'), toPageList('Accounts', pages))
  context.console.out(
    `${relative('', folder)}/: pages of ${accounts.length} ${accounts.length === 1 ? 'account' : 'accounts'}`,
  )
  return status
}
