import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sqlPrompt } from '../../../src/cli/sql/prompt.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { resources } from '../../../src/resources/index.ts'
import { readSchema } from '../../../src/warehouse/schema/schema.ts'
import { statementProcess } from '../../../src/warehouse/worker/statement-process.ts'
import { listening } from '../../support/console.ts'
import { warehouseFile } from '../../support/warehouse.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-prompt-commands-'))
/** Read only once, because each prompt would read it again. */
const relations = readSchema(resources)
let warehouse: string
beforeAll(async () => {
  warehouse = await warehouseFile(async () => {})
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let out: string
beforeEach(() => {
  out = mkdtempSync(join(folder, 'out-'))
})
const leaving: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const leave of leaving.splice(0)) await leave()
})

const statements = statementProcess()
afterAll(() => statements.close())

/** Starts a prompt. `type` enters a line and waits for the expected output. */
function prompt() {
  const input = new PassThrough()
  const output = new PassThrough()
  output.resume()
  const context = listening({ warehouse })
  const streams = {
    ...{ input, output, history: join(out, 'history') },
    relations,
  }
  const ended = sqlPrompt(
    context,
    loadConfig({ warehouse }, {}),
    { statements, seconds: 60, format: 'table' },
    streams,
  )
  const leave = async () => {
    input.write('\\q\r')
    return ended
  }
  leaving.push(leave)
  return {
    ...context,
    async type(line: string, answer: string | RegExp) {
      const before = [context.notes.length, context.results.length] as const
      input.write(`${line}\r`)
      const since = () => [...context.notes.slice(before[0]), ...context.results.slice(before[1])].join('\n')
      await expect.poll(since, { timeout: 60_000 }).toMatch(answer)
      return since()
    },
  }
}

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
