import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashOf } from '../../src/mcp/receipt.ts'
import { fillEvents } from '../sql/event-company.ts'
import { run } from '../support/cli.ts'
import { type McpClient, startMcp } from '../support/mcp-client.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

const folder = scratch()
let warehouse: string
let receipts: Record<string, Record<string, unknown>>
beforeAll(async () => {
  warehouse = await warehouseFile(settleCompany)
  const client = await startMcp(['--warehouse', warehouse])
  const ask = async (name: string, given: object) => (await client.call(name, given)).json
  receipts = {
    time: await ask('figure', { metric: 'time_to_resolve', period: '3 months' }),
    count: await ask('figure', { metric: 'incidents', period: 'last month', severity: ['Critical'] }),
    share: await ask('figure', { metric: 'acknowledged', team: ['‹payments›'] }),
    report: await ask('report', { report: 'mtta-mttr', period: '8 weeks' }),
  }
  await client.close()
}, 180_000)

let count = 0
async function verified(receipt: unknown, of = warehouse, more: readonly string[] = []) {
  const file = join(folder, `receipt-${count++}.json`)
  writeFileSync(file, typeof receipt === 'string' ? receipt : JSON.stringify(receipt))
  return run(['verify', file, '--warehouse', of, ...more])
}

/** A receipt whose hash matches its changed contents, as a forger would make it. */
const rehashed = (receipt: Record<string, unknown>) => ({ ...receipt, hash: hashOf(receipt) })

describe('a receipt of an MCP response', { timeout: 180_000 }, () => {
  test('is valid while the figures are unchanged, even if quoted in a text', async () => {
    for (const receipt of Object.values(receipts)) {
      const { code, out } = await verified(receipt)
      expect([out, code]).toEqual([expect.stringMatching(/^The receipt matches: .*\.\n$/), 0])
    }
    const turned = Object.fromEntries(Object.entries(receipts.time!).reverse())
    const quoted = `The assistant said:\n${JSON.stringify(turned, null, 2)}\nas of today`
    expect((await verified(quoted)).code).toBe(0)
  })

  test('is invalid if any field was changed', async () => {
    const { time } = receipts
    for (const key of Object.keys(time!)) {
      const { code, out } = await verified({ ...time, [key]: key === 'tool' ? 'report' : 'other' })
      expect([key, code === 0]).toEqual([key, false])
      if (code === 3) expect(out).toMatch(/was changed/)
    }
  })

  test('is invalid if a field was changed and the hash recomputed', async () => {
    const { time, share } = receipts
    const changed = {
      value: 60,
      n: 99_999,
      interval: [59, 61],
      previous: 7_200,
      verdict: 'slower',
      figure: '1 min',
      left_out: {},
      rule: [{ term: 'Any', text: 'rule' }],
      coverage: { share: 1, gaps: [], words: 'all of it' },
      sql: 'select 60',
    }
    const { code, out } = await verified(rehashed({ ...time, ...changed }))
    expect([code, out]).toEqual([3, expect.stringMatching(/^The receipt does not match: /)])
    for (const key of Object.keys(changed)) expect(out).toMatch(new RegExp(`^ {2}${key}: `, 'm'))
    const asked = { ...(share!.asked as object), team: ['‹search›'] }
    expect((await verified(rehashed({ ...share!, asked }))).code).toBe(3)
  })

  test('stays valid with newer data, but becomes invalid when a figure changes', async () => {
    const later = join(folder, 'later.duckdb')
    copyFileSync(warehouse, later)
    const instance = await DuckDBInstance.create(later)
    const connection = await instance.connect()
    // The data claims to be three weeks newer, and nothing else has changed.
    await connection.run(
      'update sync_runs set as_of_at = as_of_at + interval 21 day, finished_at = finished_at + interval 21 day',
    )
    connection.closeSync()
    instance.closeSync()
    const same = await verified(receipts.count, later)
    expect([same.out, same.code]).toEqual([
      expect.stringMatching(
        /^The figures match: [\s\S]*Not compared, .*: .*rule.*\n[\s\S]*New data: as of 2026-11-01/,
      ),
      0,
    ])

    const another = await DuckDBInstance.create(later)
    const writes = await another.connect()
    await writes.run(
      "update incidents set incident_severity = 'Info' where incident_id = (select min(incident_id) from incidents where incident_severity = 'Critical' and start_time between '2026-10-05' and '2026-10-20')",
    )
    writes.closeSync()
    another.closeSync()
    const other = await verified(receipts.count, later)
    expect([other.out, other.code]).toEqual([
      expect.stringMatching(/^The receipt does not match: [\s\S]*value: \d+, now \d+/),
      3,
    ])
  })

  test('causes an error in `faultline verify` if malformed', async () => {
    for (const text of ['', '{', '[]', '{"tool":"figure"}', 'hello'])
      expect([text, (await verified(text)).code]).toEqual([text, 2])
    const { time } = receipts
    expect((await verified(rehashed({ ...time, tool: 'sql' }))).code).toBe(2)
    expect((await verified(rehashed({ ...time, asked: { metric: 'x; drop' } }))).code).toBe(2)
    expect((await verified(time, join(folder, 'none.duckdb'))).code).toBe(1)
    expect((await run(['verify', join(folder, 'none.json'), '--warehouse', warehouse])).code).toBe(2)
  })
})

describe('the MCP tool', () => {
  let client: McpClient
  let config: string
  beforeAll(async () => {
    config = join(folder, 'config.json')
    const events = [
      { date: '2026-03-02', name: 'new rota', teams: ['T1'] },
      { date: '2026-04-27', name: 'freeze' },
    ]
    const company = await warehouseFile((connection) => fillEvents(connection))
    writeFileSync(config, JSON.stringify({ warehouse: company, reporting: { events } }))
    client = await startMcp(['--config', config])
  })
  afterAll(async () => void (await client.close()))

  test('`compare` returns the same changes as `faultline compare`, with a valid receipt', async () => {
    const { json } = await client.call('compare', { event: '‹new rota›' })
    const printed = JSON.parse(
      (await run(['compare', '--event', 'new rota', '--json', '--config', config])).out,
    )
    const [{ changes }] = json.comparisons
    const bare = changes.map(({ label: _, ...change }: { label: string }) => change)
    expect(bare).toEqual(printed[0].changes)
    expect(json.rule.length).toBeGreaterThan(0)
    expect((await client.call('list', { kind: 'events' })).json.rows).toHaveLength(2)
    const file = join(folder, 'compared.json')
    writeFileSync(file, JSON.stringify(json))
    expect((await run(['verify', file, '--config', config])).code).toBe(0)
    expect((await client.call('compare', { event: 'nothing' })).isError).toBe(true)
  })

  test('`incidents` returns only counts if filtered by a person', async () => {
    const company = await startMcp(['--warehouse', warehouse, '--metrics-only'])
    const { json } = await company.call('incidents', { person: 'Priya Raman' })
    expect(Object.keys(json)).toEqual(['period', 'as_of', 'counts', 'note'])
    expect(Object.keys(json.counts)).toEqual(['incidents', 'pages', 'pages_at_night', 'open_now'])
    expect(json.counts.pages).toBeGreaterThanOrEqual(json.counts.pages_at_night)
    for (const narrow of [
      { period: '2026-03-03' },
      { period: '2026-03-02..2026-03-10' },
      { period: '2026-03' },
      { period: '2026-W10', timezone: 'Asia/Tokyo' },
      { period: '2026-W10', text: 'disk' },
    ]) {
      const refused = await company.call('incidents', { person: 'Priya Raman', ...narrow })
      expect([narrow, refused.isError, refused.text.includes('only whole weeks')]).toEqual([
        narrow,
        true,
        true,
      ])
    }
    const week = await company.call('incidents', { person: 'Priya Raman', period: '2026-03-02..2026-03-09' })
    expect(week.isError).toBeFalsy()
    const nobody = await company.call('incidents', { person: 'Nobody' })
    expect([nobody.isError, nobody.text.includes('Priya')]).toEqual([true, false])
    await company.close()
  })
})
