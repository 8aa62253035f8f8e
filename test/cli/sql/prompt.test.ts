import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sqlPrompt } from '../../../src/cli/sql/prompt.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { resources } from '../../../src/resources/index.ts'
import { readSchema } from '../../../src/warehouse/schema/schema.ts'
import { statementProcess } from '../../../src/warehouse/worker/statement-process.ts'
import { run } from '../../support/cli.ts'
import { listening } from '../../support/console.ts'
import { ownFolder } from '../../support/folder.ts'
import { warehouseFile } from '../../support/warehouse.ts'

const folder = ownFolder()
let warehouse: string
beforeAll(async () => {
  warehouse = await warehouseFile(async () => {})
})

const statements = statementProcess()
afterAll(() => statements.close())

/** Read only once, because each prompt would read it again. */
const relations = readSchema(resources)
const leaving: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const leave of leaving.splice(0)) await leave()
})

/** Starts a prompt. `type` enters a line and waits for the expected output. */
function prompt() {
  const input = new PassThrough()
  const output = new PassThrough()
  let screen = ''
  output.on('data', (chunk) => {
    screen += chunk
  })
  const stopping = new AbortController()
  const context = { ...listening({ warehouse }), signal: stopping.signal }
  const { notes, results } = context
  const history = join(folder, 'history')
  const config = loadConfig({ warehouse }, {})
  const asked = { statements, seconds: 60, format: 'table' } as const
  const ended = sqlPrompt(context, config, asked, { input, output, history, relations })
  leaving.push(async () => {
    input.write('\\q\r')
    await ended.catch(() => undefined)
  })
  return {
    ...{ notes, results, stopping, input, ended, history },
    screen: () => screen,
    told: () => results.join(''),
    async type(line: string, answer: string | RegExp) {
      const before = [notes.length, results.length] as const
      input.write(`${line}\r`)
      const since = () => [...notes.slice(before[0]), ...results.slice(before[1])].join('\n')
      await expect.poll(since, { timeout: 60_000 }).toMatch(answer)
      return since()
    },
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

describe('the command \\d of the SQL prompt', () => {
  test('lists all relations, or describes the named relation', async () => {
    const { type } = prompt()
    const all = await type('\\d', /\\d NAME describes/)
    const groups = [...all.matchAll(/^(\S.*) \(\d+\)$/gm)].map(([, title]) => title)
    expect(groups).toEqual(
      expect.arrayContaining(['Views', 'Metrics with parameters', 'Tables of the service']),
    )
    expect(all).toMatch(/^ {2}incident_times +\S/m)
    const view = await type('\\d incident_times', /incident_times: a view/)
    expect(view).toMatch(/\ncolumns\n(.*\n)* {2}incident_id +VARCHAR: \S/)
    expect(Math.max(...view.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
    const metric = await type('\\d ACKNOWLEDGEMENT();', /acknowledgement\(started_from/)
    expect(metric).toMatch(/\nparameters\n {2}started_from +\S/)
  })

  test('suggests the closest name for an unknown relation', async () => {
    const { type } = prompt()
    expect(await type('\\d incident_time', /Unknown table/)).toContain('Did you mean "incident_times"?')
    expect(await type('\\fromat csv', /Unknown command \\fromat/)).toContain('Did you mean "\\format"?')
    expect(await type('\\format cvs', /Unknown format "cvs"/)).toContain('Did you mean "csv"?')
    const help = await type('\\?', /--to FILE/)
    for (const name of ['\\?', '\\d [NAME]', '\\format [NAME]', '\\q']) expect(help).toContain(name)
  })
})

test('the \\format command in the SQL prompt sets the result format', async () => {
  const { type, results } = prompt()
  await type('\\format', /The format is table\. Available: table, /)
  await type('\\format MARKDOWN', /The format is markdown\./)
  await type('select 2 as b;', /\| 2 \|/)
  await type('\\format expanded', /The format is expanded\./)
  await type("select 'b' as a;", /─ row 1 ─\na {2}b/)
  expect(results.length).toBeGreaterThan(1)
})

test.each(['\\o a.csv', '\\x', '\\dt'])('the SQL prompt reports the unknown command %s', async (line) => {
  const { type } = prompt()
  await type(line, /^Unknown command \\\w+\.[\s\S]*\\\? lists all commands\.$/m)
})
