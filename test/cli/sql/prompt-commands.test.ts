import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sqlPrompt } from '../../../src/cli/sql/prompt.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { findPager } from '../../../src/config/pager.ts'
import { resources } from '../../../src/resources/index.ts'
import { readSchema } from '../../../src/warehouse/schema/schema.ts'
import { statementProcess } from '../../../src/warehouse/worker/statement-process.ts'
import { listening } from '../../support/console.ts'
import { warehouseFile } from '../../support/warehouse.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-prompt-commands-'))
/** Read once: each prompt would read it by itself. */
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

/** A prompt whose lines are typed one after the other, each when what the one before says was told. */
function prompt(pager?: string) {
  const input = new PassThrough()
  const output = new PassThrough()
  output.resume()
  const context = listening({ warehouse })
  const streams = {
    ...{ input, output, history: join(out, 'history') },
    relations,
    pager: pager === undefined ? undefined : { pager, columns: 80, rows: 10 },
  }
  const ended = sqlPrompt(
    context,
    loadConfig({ warehouse }, {}),
    { statements, seconds: 60, format: 'table' },
    streams,
  )
  const told = () => [...context.notes, ...context.results].join('\n')
  const leave = async () => {
    input.write('\\q\r')
    return ended
  }
  leaving.push(leave)
  return {
    ...context,
    leave,
    async type(line: string, answer: string | RegExp) {
      const before = [context.notes.length, context.results.length] as const
      input.write(`${line}\r`)
      const since = () => [...context.notes.slice(before[0]), ...context.results.slice(before[1])].join('\n')
      await expect.poll(since, { timeout: 60_000 }).toMatch(answer)
      return since()
    },
    told,
  }
}

describe('\\d', () => {
  test('alone lists what there is in groups, and of one its columns or parameters with their meanings', async () => {
    const { type } = prompt()
    const all = await type('\\d', /\\d NAME says/)
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

  test('tells the nearest of what is not there, as do unknown commands', async () => {
    const { type } = prompt()
    expect(await type('\\d incident_time', /There is no table/)).toContain('Did you mean "incident_times"?')
    expect(await type('\\fromat csv', /There is no \\fromat/)).toContain('Did you mean "\\format"?')
    expect(await type('\\format cvs', /There is no format "cvs"/)).toContain('Did you mean "csv"?')
    const help = await type('\\?', /\$PAGER/)
    for (const name of ['\\d [NAME]', '\\o [FILE]', '\\format [NAME]', '\\x', '\\q'])
      expect(help).toContain(name)
  })
})

describe('\\o', () => {
  test('takes the place of nothing that a command reads', async () => {
    const { type } = prompt()
    await type('\\format json', /The format is json/)
    await type(`\\o ${warehouse}`, /\\o would replace .*, which is the warehouse\./)
  })

  test('sends results to a file of its owner in the format of its name, until \\o alone', async () => {
    const path = join(out, 'a.csv')
    writeFileSync(path, 'old', { mode: 0o644 })
    const { type, results } = prompt()
    await type(`\\o ${path}`, /Results go to .*a\.csv as csv, until/)
    expect(readFileSync(path, 'utf8')).toBe('old')
    await type('select nothing;', /"nothing"/)
    expect(readFileSync(path, 'utf8')).toBe('old')
    await type('select 1 as a;', /Written to/)
    await type("select error('half') as b from range(3000);", /half/)
    await type("select 'ö' as b;", /Written to/)
    await type('\\o', /Wrote .*a\.csv/)
    expect(readFileSync(path, 'utf8')).toBe('a\r\n1\r\nb\r\nö\r\n')
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(results).toEqual([])
    await type('select 2 as c;', /\n2\n/)
  })

  test('of a folder, or where nothing can be written, is told; leaving closes the file, and an unused one is not made', async () => {
    mkdirSync(join(out, 'there'))
    const { type, leave, notes } = prompt()
    await type(`\\o ${join(out, 'there')}`, /is a folder.*\n.*Name a file/)
    await type(`\\o ${join(out, 'nowhere', 'a.csv')}`, /ENOENT/)
    await type(`\\o ${join(out, 'b.json')}`, /as json/)
    await leave()
    expect(notes.at(-1)).toMatch(/^Nothing went to .*b\.json/)
    expect(readdirSync(out)).toEqual(['there'])
  })

  test('whose name asks for no format is refused until \\format names one', async () => {
    const { type } = prompt()
    await type(
      `\\o ${join(out, 'd.tsv')}`,
      /does not say how[\s\S]*\.csv, \.json or \.md, or name a format: \\format csv/,
    )
    expect(readdirSync(out)).toEqual([])
    await type('\\x', /A column a line/)
    await type(`\\o ${join(out, 'd.tsv')}`, /does not say how/)
    await type('\\format table', /The format is table/)
    await type(`\\o ${join(out, 'd.tsv')}`, /as table/)
    await type('\\o', /Nothing went to/)
  })

  test('\\format goes before the name of the file, and holds on the screen too; \\x goes back to it', async () => {
    const { type } = prompt()
    await type(`\\o ${join(out, 'c.json')}`, /as json/)
    await type('\\format markdown', /The format is markdown/)
    await type('select 1 as a;', /Written to/)
    await type('\\o', /Wrote/)
    expect(readFileSync(join(out, 'c.json'), 'utf8')).toBe('| a |\n| --- |\n| 1 |\n')
    await type('select 2 as b;', /\| 2 \|/)
    await type('\\x', /A column a line/)
    await type('\\format', /The format is expanded, of table, /)
    await type('\\x', /^A markdown\.$/m)
  })
})

const LONG = "select range as n, 'x' as x from range(40);"

describe.skipIf(process.platform === 'win32')('a pager', () => {
  test('shows what is longer than the screen, and notes after it; what is short is printed', async () => {
    const seen = join(out, 'seen')
    const { type, results } = prompt(`cat > ${seen}`)
    await type('select 1 as short;', /short/)
    expect(existsSync(seen)).toBe(false)
    results.length = 0
    await type(`${LONG}\rselect 2 as next;`, /next/)
    expect(readFileSync(seen, 'utf8')).toMatch(/\n39 {2}x\n\n40 rows\n$/)
    expect(results.join('')).not.toContain('39')
    await type('\\d\rselect 3 as last;', /last/)
    expect(readFileSync(seen, 'utf8')).toContain('incident_times')
  })

  test.each([
    [
      'is not there',
      'faultline-no-such-pager 2>/dev/null',
      /^The pager \(faultline-no-such-pager.*\) ended with 127: the result is shown without it\.$/m,
    ],
    ['fails', 'exit 3', /The pager \(exit 3\) ended with 3: /],
    ['fails after it has read', 'cat > /dev/null; exit 4', /ended with 4: /],
    ['is killed', 'kill -9 $$', /ended with (137|SIGKILL): /],
  ])('that %s loses nothing: the result is printed', async (_, command, note) => {
    const { type, results } = prompt(command)
    await type(LONG, note)
    expect(results.join('')).toMatch(/\n39 {2}x\n\n40 rows\n$/)
    expect(results.join('').match(/40 rows/g)).toHaveLength(1)
  })

  test.each([
    ['at once', 'exit 0'],
    ['early', 'head -1 > /dev/null'],
    ['by Ctrl-C', 'head -1 > /dev/null; kill -INT $$'],
  ])('that is closed %s is no error, and ends what nobody reads any more', async (_, command) => {
    const { type, notes, results } = prompt(command)
    await type('\\format csv', /csv/)
    notes.length = 0
    await type('select range as n from range(1_000_000);\rselect 7 as after;', /after/)
    expect([notes, results.join('')]).toEqual([[], 'after\r\n7\r\n'])
  })

  test('that fails in the middle of a long result: the rest is printed too', async () => {
    const { type, results } = prompt('head -c 100 > /dev/null; exit 5')
    await type('\\format csv', /csv/)
    await type('select range as n from range(300_000);', /ended with 5: /)
    const lines = results.join('').split('\r\n')
    expect([lines[0], lines[1], lines.at(-2), lines.length]).toEqual(['n', '0', '299999', 300_002])
  })

  test('is $PAGER, else less where there is one; an empty one is none', () => {
    writeFileSync(join(out, 'less'), '#!/bin/sh\n', { mode: 0o755 })
    expect(findPager({ PAGER: 'more', PATH: out })).toBe('more')
    expect(findPager({ PATH: out })).toBe('less -FRX')
    expect(findPager({ PATH: folder })).toBeNull()
    expect(findPager({ PAGER: ' ', PATH: out })).toBeNull()
  })
})
