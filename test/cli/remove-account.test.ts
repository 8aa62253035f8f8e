import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { removeAccount } from '../../src/cli/remove-account.ts'
import { showStatus } from '../../src/cli/status.ts'
import { tablesOf } from '../../src/definitions/tables.ts'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { warehouseFiles } from '../../src/warehouse/file/files.ts'
import { noteReportRun } from '../../src/warehouse/read/report-runs.ts'
import { ledger } from '../../src/warehouse/schema/ledger-tables.ts'
import { listening } from '../support/console.ts'
import { ownFolder } from '../support/folder.ts'
import { openReader, openWarehouse } from '../support/storage.ts'

const folder = ownFolder()

const tables = [...ledger, ...resources.flatMap(tablesOf)].flatMap(({ name, columns }) => {
  const isOfAccounts = columns.some((column) => column.name === 'account_id')
  const text = columns.find(({ type }) => type === 'VARCHAR')?.name
  return isOfAccounts && text !== undefined ? [{ name, text }] : []
})

/** Publishes an account with one row in every table. Each row contains the account name. */
async function publish(warehouse: string, accountId: bigint, name: string) {
  const open = await openWarehouse(warehouse, resources, { accountId })
  for (const table of tables.filter((one) => one.name !== 'accounts'))
    await sql`insert into ${sql.table(table.name)} by name
      (select ${accountId} as account_id, ${`ROW-OF-${name}-IN-${table.name}`} as ${sql.ref(table.text)})`.execute(
      open.db,
    )
  await sql`update accounts set name = ${name}`.execute(open.db)
  await open.publish()
}

const noted = (warehouse: string, account: string) =>
  noteReportRun(
    warehouseFiles(warehouse),
    {
      ...{
        report: 'mtta-mttr',
        period_from: '2026-01-01',
        period_to: '2026-02-01',
        timezone: 'UTC',
        account,
      },
      ...{ team: 'all', severity: 'all', as_of_at: '2026-02-01T00:00:00Z', definition: 'x' },
      figures: [{ figure: 'a.b', label: 'l', value: 1, n: 1 }],
    },
    { version: '0', now: 0 },
  )

function holders(place: string, text: string): string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((file) => readFileSync(file).includes(text))
}

const remove = async (warehouse: string, name: string, flags = {}) => {
  const context = listening({ warehouse })
  const code = await removeAccount(context, name, { yes: true, ...flags })
  return { code, text: context.results.join('\n') }
}

/** The output of `faultline status` with these accounts configured. */
async function status(warehouse: string, ...names: string[]): Promise<string> {
  const config = join(folder, 'config.json')
  const accounts = names.map((name) => ({ name, baseUrl: 'http://127.0.0.1:1', appKeyFile: './key' }))
  writeFileSync(config, JSON.stringify({ warehouse, accounts }))
  const context = listening({ config })
  await showStatus(context, {})
  return context.results.join('\n')
}

describe('`faultline account remove`', () => {
  const place = mkdtempSync(join(folder, 'file-'))
  const warehouse = join(place, 'faultline.duckdb')

  test('deletes the rows of the given account, but of no other account, from all warehouse files', async () => {
    for (const [id, name] of [
      [1n, 'payments'],
      [2n, 'search'],
      [1n, 'payments'],
    ] as const) {
      noted(warehouse, name === 'payments' ? 'search,payments' : 'search')
      await publish(warehouse, id, name)
    }
    writeFileSync(join(`${warehouse}.sync`, '1.duckdb.aside'), 'ROW-OF-payments')
    expect(holders(place, 'ROW-OF-payments').length).toBeGreaterThanOrEqual(4)
    expect(await status(warehouse, 'payments', 'search')).not.toContain('configured')
    expect(await status(warehouse, 'search')).toContain(
      'payments (account 1) is no longer configured, but its rows remain in reports. Delete them with `faultline account remove 1`',
    )
    const before = holders(place, 'ROW-OF-search')
    await expect(removeAccount(listening({ warehouse }), 'payments', {})).rejects.toThrow(
      /This deletes every row of account 1 \(payments\)/,
    )
    const held = await openWarehouse(warehouse, resources, { accountId: 1n })
    await expect(remove(warehouse, 'payments')).rejects.toThrow(/Another sync is writing account 1/)
    await held.close()
    expect(await remove(warehouse, 'Payments')).toEqual({
      code: 0,
      text: expect.stringMatching(/^Deleted every row of account 1 \(payments\)/),
    })
    expect([holders(place, 'ROW-OF-payments'), holders(place, 'payments')]).toEqual([[], []])
    expect(holders(place, 'ROW-OF-search')).toEqual(before.filter((file) => !file.endsWith('former.duckdb')))
    const reader = await openReader(warehouse, { settings: defaultSettings })
    for (const { name } of tables.filter((one) => one.name !== 'sync_rows'))
      expect([
        name,
        (await reader.query(`select account_id, count(*) from ${name} group by 1`)).rows,
      ]).toEqual([name, [[2n, expect.anything()]]])
    expect((await reader.query('select distinct account from report_runs')).rows).toEqual([['search']])
    reader.close()
    await expect(remove(warehouse, 'payments')).rejects.toThrow(/Unknown account "payments"/)
    await publish(warehouse, 2n, 'search')
  })

  test('deletes all warehouse files if no other account exists', async () => {
    await remove(warehouse, '2', { json: true })
    expect(existsSync(warehouse)).toBe(false)
    expect(holders(place, 'search')).toEqual([])
    await publish(warehouse, 3n, 'shop')
  })

  test('deletes only the working file of an account that was never published', async () => {
    await (await openWarehouse(warehouse, resources, { accountId: 4n })).close()
    expect((await remove(warehouse, '4')).text).toMatch(/account 4 /)
    expect(readdirSync(`${warehouse}.sync`)).not.toContain('4.duckdb')
    expect(holders(place, 'ROW-OF-shop').length).toBeGreaterThan(1)
  })
})
