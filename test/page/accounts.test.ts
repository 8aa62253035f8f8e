import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/errors.ts'
import { runReport } from '../../src/page/run-report.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'
import { APAC, EMEA, settleTwoAccounts } from './accounts-world.ts'
import { rowsOf } from './company-report.ts'

let reader: Reader
let warehouse: string
beforeAll(async () => {
  warehouse = await warehouseFile(settleTwoAccounts)
  reader = await openReader(warehouse, { settings: defaultSettings })
})
afterAll(() => reader.close())

const QUERIES = {
  scoped: `select account_id::int as account, count(*)::int as n, median(tta) as tta from scoped_incidents
    where period = 'current' group by all order by all`,
  raw: 'select account_id::int as account, count(*)::int as n from incident_responders group by all order by all',
  pages: 'select member_name, team_name, count(*)::int as n from scoped_pages group by all order by all',
  views: `select account_id::int as account, count(*)::int as n from data_quality group by all order by all`,
  curve: 'select max(at_risk)::int as n from survival_curve()',
  windows: 'select count(*)::int as n from sync_windows',
  bound: 'select $accounts::bigint[] as accounts',
}
const file = () =>
  reportFile(
    Object.entries(QUERIES)
      .map(([name, text]) => `\`\`\`sql ${name}\n${text}\n\`\`\`\n`)
      .join(''),
    'title: T\nparams: { period: 4 weeks }',
  )

describe('a report on a warehouse with several accounts', () => {
  test('covers and lists all accounts, with the as-of time of the oldest data', async () => {
    const result = await runReport(file(), reader)
    expect(result.frame).toMatchObject({ accounts: '8, EMEA', asOfInstant: new Date(EMEA.asOf * 1_000) })
    expect(rowsOf(result, 'scoped')).toEqual([
      { account: 7, n: 28, tta: 60 },
      { account: 8, n: 14, tta: 120 },
    ])
    expect(rowsOf(result, 'raw')).toEqual([
      { account: 7, n: 120 },
      { account: 8, n: 60 },
    ])
    expect(rowsOf(result, 'bound')).toEqual([{ accounts: null }])
    expect(toHtml(result)).toContain('<li>8, EMEA')
  })

  test.each(['EMEA', 'emea', '7'])('covers only the account that is selected as %s', async (account) => {
    const result = await runReport(file(), reader, { account })
    expect(result.frame).toMatchObject({ accounts: 'EMEA', asOfInstant: new Date(EMEA.asOf * 1_000) })
    expect(Object.keys(QUERIES).map((name) => rowsOf(result, name))).toEqual([
      [{ account: 7, n: 28, tta: 60 }],
      [{ account: 7, n: 120 }],
      [{ member_name: 'person 0', team_name: 'team 0', n: expect.any(Number) }],
      [{ account: 7, n: expect.any(Number) }],
      [{ n: 120 }],
      [{ n: 1 }],
      [{ accounts: [7n] }],
    ])
    expect(result.counted.funnel[0]!.count).toBe(28)
  })

  test('has the as-of time of the selected account', async () => {
    const { frame } = await runReport(file(), reader, { account: '8' })
    expect(frame).toMatchObject({ accounts: '8', asOfInstant: new Date(APAC.asOf * 1_000) })
  })

  test('with a selected account does not restrict a concurrent report', async () => {
    const [one, all] = await Promise.all([
      runReport(file(), reader, { account: 'EMEA' }),
      runReport(file(), reader),
    ])
    expect(rowsOf(one, 'raw')).toHaveLength(1)
    expect(rowsOf(all, 'raw')).toHaveLength(2)
  })

  test('covers the accounts in the front matter, unless an option overrides them', async () => {
    const front = (account: string) =>
      reportFile(`\`\`\`sql raw\n${QUERIES.raw}\n\`\`\`\n`, `title: T\nparams: { account: ${account} }`)
    expect(rowsOf(await runReport(front('EMEA'), reader), 'raw')).toEqual([{ account: 7, n: 120 }])
    expect(rowsOf(await runReport(front('"7"'), reader), 'raw')).toHaveLength(1)
    expect(rowsOf(await runReport(front('[EMEA, "8"]'), reader), 'raw')).toHaveLength(2)
    expect(rowsOf(await runReport(front('EMEA'), reader, { account: 'all' }), 'raw')).toHaveLength(2)
  })

  test('is rejected if the selected account is unknown', async () => {
    const error = await runReport(file(), reader, { account: 'EMAE' }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({
      message: 'The warehouse has no account "EMAE".',
      next: 'Did you mean "EMEA"?',
    })
  })
})

test('a report on a warehouse with only one account does not mention the account', async () => {
  const alone = await openReader(await warehouseFile(settleCompany), { settings: defaultSettings })
  try {
    const { frame, empty } = await runReport(reportFile(''), alone)
    expect(frame.accounts).toBeNull()
    expect(empty).toBe(false)
    expect((await runReport(reportFile(''), alone, { account: '1' })).frame.accounts).toBeNull()
  } finally {
    alone.close()
  }
})
