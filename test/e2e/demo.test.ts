import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { run, start } from '../support/cli.ts'
import { scratch } from '../support/warehouse.ts'

const folder = scratch()

const demo = () => start(['demo', '--to', '.', '--incidents', '150'], {}, folder)

test('`faultline demo` writes report pages and a separate warehouse', async () => {
  writeFileSync(join(folder, 'faultline.duckdb'), 'mine')
  const first = demo()
  const own = () => readdirSync(join(folder, 'demo.duckdb.sync')).filter((file) => file.endsWith('.duckdb'))
  await vi.waitFor(() => expect(own()).toHaveLength(1), { timeout: 20_000, interval: 10 })
  // The first demo is paused while a second one tries to start.
  first.process.kill('SIGSTOP')
  const other = await demo().ended
  first.process.kill('SIGCONT')
  expect(other.code).toBe(1)
  expect(other.err).toContain(`${first.process.pid}`)

  const { code, out, err } = await first.ended
  expect({ code, err: err.replaceAll(/^\{.*\}\n/gm, '') }).toEqual({ code: 0, err: '' })
  expectAllNew(out)
  const pages = [...out.matchAll(/file:\S+/g)].map(([url]) => fileURLToPath(url))
  expect(pages).toHaveLength(6)
  for (const page of pages) expect(readFileSync(page, 'utf8')).toContain('<!doctype html>')
  const incidents = Number(out.match(/^It contains ([\d,]+) incidents since \d{4}-/m)?.[1])
  expect(incidents).toBeGreaterThan(100)
  const counting = ['--warehouse', 'demo.duckdb', '--format', 'csv', 'select count(*) from incident_times']
  const counted = await run(['sql', ...counting], {}, folder)
  expect(Number(counted.out.split('\r\n')[1])).toBe(incidents)
  expect(existsSync(join(folder, 'mtta-mttr/figures.csv'))).toBe(true)
  expect(readFileSync(join(folder, 'faultline.duckdb'), 'utf8')).toBe('mine')
}, 300_000)

test('`faultline demo` starts from scratch when run again', async () => {
  const { process: child, ended } = demo()
  let out = ''
  child.stdout!.on('data', (chunk) => {
    out += chunk
  })
  // The first test covers the pages, so this demo is stopped after its sync.
  await vi.waitFor(() => expect(out).toMatch(/^Synced: .*\n/m), { timeout: 20_000, interval: 10 })
  child.kill('SIGKILL')
  await ended
  expectAllNew(out)
}, 300_000)

/** Expects every record of the demo to be new. */
function expectAllNew(out: string) {
  const [, read, fresh] = out.match(/^Synced: ([\d,]+) rows read, ([\d,]+) new, 0 changed \(/m) ?? []
  expect(Number(read)).toBeGreaterThan(100)
  expect(fresh).toBe(read)
}

test('reports and queries of the demo warehouse need no app key', async () => {
  writeFileSync(
    join(folder, 'config.json'),
    '{ "appKeyFile": "./app-key", "warehouse": "./demo.duckdb", "baseUrl": "http://127.0.0.1:1" }',
  )
  expect(await run(['sql', 'select 1 as n', '--format', 'csv'], {}, folder)).toMatchObject({
    code: 0,
    out: 'n\r\n1\r\n',
  })
  expect((await run(['report', 'check'], {}, folder)).code).toBe(0)
  const sync = await run(['sync'], {}, folder)
  expect(sync).toMatchObject({ code: 2, out: '' })
  expect(sync.err).toContain('app-key')
  expect(sync.err).toContain('FAULTLINE_APP_KEY')

  // `sql` without a query reads standard input.
  const empty = await start(['sql'], {}, folder).ended
  expect(empty.code).toBe(2)
  expect(empty.err).toContain('The query is missing.')
}, 300_000)

test('`faultline demo` rejects a target folder that cannot be created', async () => {
  writeFileSync(join(folder, 'file'), '')
  const { code, err } = await run(['demo', '--to', 'file/below'], {}, folder)
  expect(code).toBe(2)
  expect(err).toMatch(/--to: .*cannot be created/)
})
