import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type McpClient, startMcp } from '../support/mcp-client.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

let warehouse: string
let client: McpClient
beforeAll(async () => {
  warehouse = await warehouseFile(settleCompany)
  client = await startMcp(['--warehouse', warehouse])
})
afterAll(async () => {
  expect(await client.close()).toBe(0)
})

const tools = async (from = client) => (await from.ask('tools/list', {})).result.tools

describe('the MCP tools', () => {
  test('are read-only, and have flat parameters', async () => {
    const found = await tools()
    expect(found.map(({ name }: { name: string }) => name)).toEqual([
      ...['list', 'describe', 'figure', 'compare', 'incidents', 'report', 'sql'],
    ])
    for (const { annotations, inputSchema } of found) {
      expect(annotations).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
      for (const { type, items } of Object.values<{ type: string; items?: { type: string } }>(
        inputSchema.properties,
      ))
        expect(['string', 'integer', 'boolean']).toContain(items?.type ?? type)
    }
  })

  test('do not include `sql` if the option `--metrics-only` is set', async () => {
    const metrics = await startMcp(['--warehouse', warehouse, '--metrics-only'])
    const found = await tools(metrics)
    expect(found.map(({ name }: { name: string }) => name)).not.toContain('sql')
    expect((await metrics.call('sql', { sql: 'select 1' })).isError).toBe(true)
    expect((await metrics.call('list', { kind: 'sql' })).isError).toBe(true)
    expect((await metrics.call('describe', { name: 'incident_times' })).isError).toBe(true)
    expect((await metrics.call('figure', { metric: 'incidents' })).isError).toBe(false)
    expect(await metrics.close()).toBe(0)
  })
})

describe('the MCP tools `list` and `describe`', () => {
  test('return questions, each with the metric that answers the question', async () => {
    const { rows } = (await client.call('list')).json
    expect(rows.length).toBeGreaterThan(15)
    for (const { question, metric } of rows) {
      expect(question).toMatch(/\?$/)
      expect((await client.call('describe', { name: metric })).json).toMatchObject({
        kind: 'metric',
        question,
      })
    }
  })

  test('return reports, teams, events and SQL views', async () => {
    const listed = async (kind: string) => (await client.call('list', { kind })).json.rows
    expect((await listed('reports')).map(({ report }: { report: string }) => report)).toContain('mtta-mttr')
    expect(await listed('teams')).toContain('‹payments›')
    expect(await listed('events')).toEqual([])
    expect(await listed('dimensions')).toEqual([])
    const questions = await listed('sql')
    expect(questions.length).toBeGreaterThan(40)
    expect((await client.call('describe', { name: 'mtta-mttr' })).json.kind).toBe('report')
    const { columns } = (await client.call('describe', { name: 'incident_times' })).json
    expect(columns.map(({ name }: { name: string }) => name)).toContain('time_to_ack_s')
  })

  test('suggest a similar name for an unknown metric', async () => {
    const { isError, text } = await client.call('describe', { name: 'time_to_resolv' })
    expect(isError).toBe(true)
    expect(text).toContain('Did you mean "time_to_resolve"?')
  })
})

describe('the MCP tool `sql`', () => {
  test('returns at most 200 rows, with text values marked as data', async () => {
    const { columns, rows, more } = (
      await client.call('sql', { sql: 'select num, title, start_time from incident_times order by num' })
    ).json
    expect(columns).toEqual(['num', 'title', 'start_time'])
    expect(rows.length).toBe(200)
    expect(more).toMatch(/first 200/)
    for (const [num, title] of rows) {
      expect(num).toMatch(/^‹INC-\d+›$/)
      expect(title).toMatch(/^‹[^‹›\p{Cc}\p{Cf}]+›$/u)
    }
  })

  test('returns the error of an invalid query, then answers the next query', async () => {
    const { isError, text } = await client.call('sql', { sql: 'select titel from incident_times' })
    expect([isError, text.includes('titel')]).toEqual([true, true])
    expect((await client.call('sql', { sql: 'select 1 as one' })).json).toEqual({
      columns: ['one'],
      rows: [[1]],
    })
  })
})

test('each MCP call logs one line, and standard output contains only protocol messages', async () => {
  const own = await startMcp(['--warehouse', warehouse])
  await own.call('list')
  await own.call('sql', { sql: 'nonsense' })
  const wrong = await own.call('figure', { metric: 'incidents', severety: ['Critical'] })
  expect(wrong.text).toMatch(/figure: .*severety[\s\S]*parameters: metric, period, team, severity/)
  await own.close()
  const { out, err } = own.written()
  for (const line of out) expect(JSON.parse(line).jsonrpc).toBe('2.0')
  const audit = err
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(audit).toMatchObject([
    { message: 'mcp', tool: 'list', ok: true, rows: expect.any(Number), bytes: expect.any(Number) },
    { message: 'mcp', tool: 'sql', ok: false, error: expect.any(String), given: '{"sql":"nonsense"}' },
    { tool: 'figure', ok: false, error: expect.stringContaining('severety') },
  ])
})
