import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { type Ended, run, start } from '../support/cli.ts'
import { sideDoor } from '../support/side-door.ts'
import { objects, withConnection } from '../support/truth.ts'
import { scratch } from '../support/warehouse.ts'
import { closeServers, inFrontOf, KEY, serve } from './leaking-services.ts'

/** The encodings in which the key could appear. */
const FORMS = [
  KEY,
  encodeURIComponent(KEY),
  encodeURIComponent(encodeURIComponent(KEY)),
  encodeURI(KEY),
  new URLSearchParams({ k: KEY }).toString().slice(2),
  JSON.stringify(KEY).slice(1, -1),
  Buffer.from(KEY).toString('hex'),
  ...[KEY, encodeURIComponent(KEY), new URLSearchParams({ k: KEY }).toString().slice(2)].flatMap(base64Of),
]

const folder = scratch()
/** The places that a process can write to: its folder, its temporary files and its home. */
const places = {
  TMPDIR: join(folder, 'tmp'),
  HOME: join(folder, 'home'),
}
const warehouse = join(folder, 'warehouse.duckdb')
let sandbox: Sandbox

const environment = (baseUrl: string, more: Record<string, string> = {}) => ({
  ...places,
  FAULTLINE_APP_KEY: KEY,
  FAULTLINE_BASE_URL: baseUrl,
  FAULTLINE_WAREHOUSE: warehouse,
  ...more,
})

beforeAll(async () => {
  for (const place of [places.TMPDIR, places.HOME]) mkdirSync(place)
  sandbox = await startSandbox({ incidents: 200, now: 1_767_225_600, appKey: KEY, limits: false })
})
afterAll(async () => {
  await sandbox.close()
  closeServers()
})

test('the key search of these tests finds an app key that was planted in a text', () => {
  const url = `http://x/member/list?${new URLSearchParams({ app_key: KEY })}`
  for (const text of [KEY, url, JSON.stringify({ KEY }), Buffer.from(`${KEY}:`).toString('base64')])
    expect(formsIn(Buffer.from(`before ${text} after`)), text).not.toEqual([])
  expect(formsIn(Buffer.from('nothing of it'))).toEqual([])
})

describe('the app key appears in no output, file or table', () => {
  test('after successful commands', async () => {
    const there = environment(sandbox.baseUrl)
    for (const command of [
      ['check'],
      ['sync', '--plan'],
      ['sync', '--json'],
      ['report', 'mtta-mttr', '--to', join(folder, 'out'), '--format', 'html,csv,json'],
      ['status', '--json'],
      ['sql', 'select * from sync_runs', '--format', 'json'],
      ['export', '--to', join(folder, 'export')],
      ['call', 'member/list', '{"limit":1}'],
    ]) {
      const ended = await run(['--verbose', ...command], there, folder)
      expect([command[0], ended.code, ended.err]).toEqual([command[0], 0, expect.anything()])
      expectNoKeyIn(ended)
    }
    expectNoKeyBelow(folder)
    await expectNoKeyInTables()
  }, 300_000)

  test('after the service repeated the key in an error message', async () => {
    const there = environment(await inFrontOf(sandbox.baseUrl, '/channel/info', '/monit/rule/status'))
    // Skips a week, because a sync requests known channels again only after a week.
    await advance(8 * 86_400)
    const ended = await run(['--verbose', 'sync'], there, folder)
    expect([ended.code, ended.out]).toEqual([1, expect.stringContaining('InvalidParameter')])
    expectNoKey(ended)
    const status = await run(['--verbose', 'status'], there, folder)
    expect(status.out).toContain('InvalidParameter')
    expectNoKey(status)
    await expectNoKeyInTables()
  }, 300_000)

  test('after an uncaught internal error', async () => {
    const acts = [
      'throw new Error(fault)',
      'Promise.reject(new Error(fault))',
      'throw Object.assign(new Error(), { message: fault })',
    ]
    await Promise.all(
      acts.map(async (act) => {
        const own = mkdtempSync(join(folder, 'thrown-'))
        const thrower = join(own, 'thrower.mjs')
        const asked = join(own, 'asked')
        const baseUrl = await serve(() => writeFileSync(asked, ''))
        // This module throws an error during the first request, when the process has read the key.
        writeFileSync(
          thrower,
          `import { existsSync, rmSync } from 'node:fs'
          const key = process.env.FAULTLINE_APP_KEY
          const fault = 'GET /member/list?' + new URLSearchParams({ app_key: key }) + ' ' + key
          const watch = setInterval(() => {
            if (!existsSync(${JSON.stringify(asked)})) return
            clearInterval(watch)
            rmSync(${JSON.stringify(asked)})
            ${act}
          }, 20)`,
        )
        const there = environment(baseUrl, {
          FAULTLINE_WAREHOUSE: join(own, 'warehouse.duckdb'),
          NODE_OPTIONS: `--import ${pathToFileURL(thrower)}`,
        })
        const ended = await start(['--verbose', 'sync'], there, own).ended
        expect(ended.err, act).toContain('This is a bug in Faultline')
        expect(ended.code, act).toBe(1)
        expectNoKey(ended, own)
      }),
    )
  }, 300_000)

  test('after SIGTERM and SIGKILL in the middle of a sync', async () => {
    const faults = (body: string) => sideDoor(sandbox.baseUrl, 'faults', body)
    await faults('{"slow_ms":100,"status_500":0.2}')
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const before = sandbox.stats().requests
      const sync = start(['--verbose', 'sync', '--full'], environment(sandbox.baseUrl), folder)
      while (sandbox.stats().requests < before + 12 && sync.process.exitCode === null)
        await new Promise((resolve) => setTimeout(resolve, 10))
      sync.process.kill(signal)
      expectNoKey(await sync.ended)
    }
    await faults('{}')
    await expectNoKeyInTables()
  }, 300_000)
})

/** Expects the key neither in the output of the process nor in any file that the process could write. */
function expectNoKey(ended: Ended, below = folder) {
  expectNoKeyIn(ended)
  expectNoKeyBelow(below)
}

function expectNoKeyIn({ out, err }: Ended) {
  expect(formsIn(Buffer.from(out)), 'standard output').toEqual([])
  expect(formsIn(Buffer.from(err)), err).toEqual([])
}

function expectNoKeyBelow(below: string) {
  for (const file of readdirSync(below, { recursive: true, encoding: 'utf8' })) {
    expect(formsIn(Buffer.from(file)), `the name of ${file}`).toEqual([])
    const path = join(below, file)
    if (statSync(path).isFile()) expect(formsIn(readFileSync(path)), file).toEqual([])
  }
}

/** Also searches every column of every table, because DuckDB compresses parts of its files. */
async function expectNoKeyInTables() {
  const own = readdirSync(`${warehouse}.sync`).filter((file) => /^\d+\.duckdb$/.test(file))
  expect(own).toHaveLength(1)
  for (const file of [warehouse, join(`${warehouse}.sync`, own[0]!)]) {
    await withConnection(file, async (connection) => {
      const tables = await objects(
        connection,
        'select table_name, list(column_name) as columns from duckdb_columns() where not internal group by 1',
      )
      expect(tables.flatMap(({ columns }) => columns as string[]).length).toBeGreaterThan(100)
      const found = FORMS.map((form) => `contains(text, '${form.replaceAll("'", "''")}')`).join(' or ')
      for (const { table_name: table, columns } of tables) {
        const texts = (columns as string[]).map((column) => `"${column}"::varchar`).join(', ')
        const rows = await objects(
          connection,
          `select text from (select concat_ws(chr(10), ${texts}) as text from "${table}") where ${found} limit 1`,
        )
        expect(rows, String(table)).toEqual([])
      }
    })
  }
}

function formsIn(content: Buffer): string[] {
  return FORMS.filter((form) => content.includes(form))
}

/**
 * Returns the base64 of a text inside a longer text, for each of three positions, without characters that depend on
 * neighboring text.
 */
function base64Of(text: string): string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].flatMap((shift) => {
    const whole = bytes.subarray((3 - shift) % 3)
    const part = whole.subarray(0, whole.length - (whole.length % 3))
    return [part.toString('base64'), part.toString('base64url')]
  })
}

async function advance(seconds: number): Promise<void> {
  const body = JSON.stringify({ advance_s: seconds })
  await sideDoor(sandbox.baseUrl, 'clock', body)
}
