import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sqlPrompt } from '../../../src/cli/sql/prompt.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { statementProcess } from '../../../src/warehouse/worker/statement-process.ts'
import { run } from '../../support/cli.ts'
import { listening } from '../../support/console.ts'
import { warehouseFile } from '../../support/warehouse.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-prompt-'))
let warehouse: string
beforeAll(async () => {
  warehouse = await warehouseFile(async () => {})
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const statements = statementProcess()
afterAll(() => statements.close())

function prompt() {
  const input = new PassThrough()
  const output = new PassThrough()
  let screen = ''
  output.on('data', (chunk) => {
    screen += chunk
  })
  const stopping = new AbortController()
  const context = { ...listening({ warehouse }), signal: stopping.signal }
  const history = join(folder, 'history')
  const config = loadConfig({ warehouse }, {})
  const ended = sqlPrompt(
    context,
    config,
    { statements, seconds: 60, format: 'table' },
    { input, output, history },
  )
  return {
    ...context,
    stopping,
    input,
    ended,
    history,
    screen: () => screen,
    told: () => context.results.join(''),
  }
}

test('the SQL prompt runs multi-line statements and saves them in its history', async () => {
  const { input, ended, told, notes, history } = prompt()
  input.write('select 40 + 2\r as answer;\r')
  await expect.poll(told, { timeout: 60_000 }).toContain('answer')
  expect(told()).toMatch(/\n +42\n\n1 row/)
  input.write('select nothing;\r')
  await expect.poll(() => notes.join('\n'), { timeout: 60_000 }).toMatch(/"nothing"/)
  input.write('\\q\r')
  expect(await ended).toBe(0)
  expect(readFileSync(history, 'utf8').split('\n')[0]).toBe('select 40 + 2 as answer;')
  if (process.platform !== 'win32') expect(statSync(history).mode & 0o777).toBe(0o600)
})

test('the SQL prompt completes names with Tab and recalls statements with the up arrow', async () => {
  const { input, ended, told, screen } = prompt()
  input.write('select count(*) as n from incident_ti\t')
  await expect.poll(screen, { timeout: 60_000 }).toContain('incident_times')
  input.write(';\r')
  await expect.poll(told, { timeout: 60_000 }).toMatch(/n\n─\n0\n/)
  input.write('select wrong')
  input.write('\u0003')
  input.write('\u001b[A')
  await expect.poll(screen, { timeout: 60_000 }).toMatch(/incident_times;[\s\S]*incident_times;/)
  input.write('\u0004\u0003\u0004')
  expect(await ended).toBe(0)
})

test('the SQL prompt ends on a stop signal while it waits for a line', async () => {
  const { stopping, ended, screen } = prompt()
  await expect.poll(screen, { timeout: 60_000 }).toContain('faultline>')
  stopping.abort(new Error('stopped by SIGHUP'))
  await expect(ended).rejects.toThrow('stopped by SIGHUP')
})

test('`faultline sql --to` writes the format that the file extension implies', async () => {
  const sql = (...args: string[]) => run(['sql', '--warehouse', warehouse, ...args], {}, folder)
  const mask = process.umask(0)
  const done = await sql('--to', 'a.csv', 'select 1 as a, 2 as b')
  process.umask(mask)
  // Only the owner can read the file, as with the warehouse.
  if (process.platform !== 'win32') expect(statSync(join(folder, 'a.csv')).mode & 0o777).toBe(0o600)
  expect(done).toMatchObject({ code: 0, out: '', err: 'Wrote a.csv\n' })
  expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('a,b\r\n1,2\r\n')
  expect((await sql('--to', 'a.csv', 'select nothing')).code).toBe(1)
  expect((await sql('--to', 'gone/a.csv', 'select 1')).err).toContain('The folder gone does not exist.')
  expect(readFileSync(join(folder, 'a.csv'), 'utf8')).toBe('a,b\r\n1,2\r\n')
  expect((await sql('--to', 'a.json', 'select 1 as a')).code).toBe(0)
  expect(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'))).toEqual([{ a: 1 }])
})

test.each(['a.tsv', 'a.parquet', 'a'])(
  '`faultline sql --to %s` requires --format, because the file extension is unknown',
  async (name) => {
    const sql = (...args: string[]) => run(['sql', '--warehouse', warehouse, ...args], {}, folder)
    const refused = await sql('--to', name, 'select 1 as a')
    expect(refused).toMatchObject({ code: 2, out: '' })
    expect(refused.err).toContain(`The file extension of ${name} does not specify a format.`)
    expect(refused.err).toContain('Use .csv, .json or .md, or set a format: --format csv')
    expect(existsSync(join(folder, name))).toBe(false)
    expect((await sql('--to', name, '--format', 'csv', 'select 1 as a')).code).toBe(0)
    expect(readFileSync(join(folder, name), 'utf8')).toBe('a\r\n1\r\n')
  },
)

test('`faultline sql --json` gives columns with equal names different keys', async () => {
  const statement = 'select 1 as a, 2 as a, 3 as a_1, 4 as a, null as b'
  const { out } = await run(['sql', '--warehouse', warehouse, '--json', statement], {}, folder)
  expect(JSON.parse(out)).toEqual([{ a: 1, a_2: 2, a_1: 3, a_3: 4, b: null }])
})

test('`faultline schema` describes a relation, or suggests a similar name', async () => {
  const { out } = await run(['schema', 'incident_times'])
  expect(out).toMatch(/^### incident_times\n/)
  expect(out.split('\n').length).toBeLessThan(120)
  expect(await run(['schema', 'incident_time'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean "incident_times"?'),
  })
})

test('the SQL prompt runs a backslash command within an unfinished statement', async () => {
  const { input, ended, told, notes } = prompt()
  input.write(';\r;;\rselect\r\\format csv\r1 as one;\r')
  await expect.poll(told, { timeout: 60_000 }).toBe('one\r\n1\r\n')
  expect(notes.slice(1)).toEqual([expect.stringContaining('The format is csv.')])
  input.write('select\r\\q\r')
  expect(await ended).toBe(0)
})
