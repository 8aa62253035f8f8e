import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { serve } from '../../../src/cli/serve/serve.ts'
import { summaryOf } from '../../../src/render/summary.ts'
import { writeListed } from '../../../src/report/served-files.ts'
import { keepPage } from '../../../src/site/history.ts'
import { listening } from '../../support/console.ts'
import { ownFolder } from '../../support/folder.ts'
import { sample } from '../../support/report-result.ts'
import { startServe } from '../../support/serving.ts'
import { warehouseFile } from '../../support/warehouse.ts'

const folder = ownFolder()
const out = join(folder, 'out')
let address: string
let stop: () => Promise<number>
beforeAll(async () => {
  mkdirSync(join(out, 'mtta'), { recursive: true })
  writeListed(out, 'mtta.html', '<h1>MTTA</h1>')
  writeListed(out, 'mtta/weekly.csv', 'a\r\n1\r\n')
  ;({ address, stop } = await startServe(out))
})
afterAll(async () => {
  expect(await stop()).toBe(0)
})

/** Sends a request with exactly this path and host. */
function ask(path: string, host?: string, method = 'GET'): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const request = get({ hostname, port, path, method, ...(host && { headers: { host } }) }, (response) => {
      let body = ''
      response.on('data', (chunk) => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode!, body }))
    })
    request.on('error', reject)
  })
}

test('`faultline serve` returns report pages and their tables on 127.0.0.1', async () => {
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  expect(await ask('/mtta.html')).toEqual({ status: 200, body: '<h1>MTTA</h1>' })
  expect((await ask('/mtta/weekly.csv')).body).toBe('a\r\n1\r\n')
  const index = await ask('/')
  expect(index.status).toBe(200)
  expect(index.body).toContain('href="/explore?"')
})

test.each(['/none.html', '/_live', '/%', '/explore/none'])(
  '`faultline serve` answers %s with 404 and a link to the index',
  async (path) => {
    const { status, body } = await ask(path)
    expect(status).toBe(404)
    expect(body).toContain('<a href="/">All reports</a>')
  },
)

test('the index of `faultline serve` equals the index that a delivery writes', async () => {
  keepPage(out, '<h1>Weekly</h1>', summaryOf(sample()), Date.now())
  const written = readFileSync(join(out, 'index.html'), 'utf8')
  rmSync(join(out, 'index.html'))
  const withoutTime = (page: string) =>
    page.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC|\(.*? before this page/g, '')
  const { body } = await ask('/')
  expect(written).toContain('Half were resolved')
  expect(withoutTime(body.replace('<p><a href="/explore?">Explore these incidents</a></p>', ''))).toBe(
    withoutTime(written),
  )
})

test('`faultline serve` returns the index.html of a folder for the URL of the folder', async () => {
  writeListed(out, 'teams/12/index.html', '<h1>Team</h1>')
  expect((await ask('/teams/12/')).body).toBe('<h1>Team</h1>')
  expect((await ask('/teams/12')).status).toBe(404)
})

test('a served report page links to its incidents in the explorer', async () => {
  const page =
    '<main id="main" data-explore="severity=Critical&amp;period=2026-01-01..2026-02-01"><h1>A</h1></main>'
  writeListed(out, 'mtta/list.html', page)
  const { body } = await ask('/mtta/list.html')
  expect(body).toBe(
    page.replace(
      '</h1>',
      '</h1><p><a href="/explore?severity=Critical&amp;period=2026-01-01..2026-02-01">Explore these incidents</a></p>',
    ),
  )
  expect(readFileSync(join(out, 'mtta', 'list.html'), 'utf8')).toBe(page)
})

test('the explorer answers only its own paths and local host names', async () => {
  const asked = await ask('/explore', 'evil.example')
  expect([asked.status, asked.body]).toEqual([403, expect.stringContaining('localhost')])
  expect((await ask('/explore', undefined, 'POST')).status).toBe(405)
  for (const path of [
    '/explore/',
    '/explore/none',
    '/explore/../secret.csv',
    '/explore/%2e%2e/secret.csv',
    '/explore/..%2f..%2fsecret.csv',
    '/explore/incidents.csv/',
    '/explore%2fincidents.csv',
    '/explore/constructor',
    '/explored',
    '/Explore',
    '/explore%00',
  ])
    expect([path, (await ask(path)).status]).toEqual([path, 404])
  // Without a synced warehouse, the explorer reports the missing sync instead of an error in the address.
  const { status, body } = await ask('/explore?severity=%00&foo=<script>')
  expect([status, body]).toEqual([404, expect.stringContaining('faultline sync')])
  expect(body).not.toMatch(/<script|at .*\.[jt]s:/)
})

test('`faultline serve` rejects a POST request', async () => {
  expect((await ask('/mtta.html', undefined, 'POST')).status).toBe(405)
})

test('`faultline serve --watch` notifies the browser of a changed page', async () => {
  const warehouse = await warehouseFile(async () => {})
  const own = new AbortController()
  const context = { ...listening({ warehouse }), signal: own.signal }
  const done = serve(context, { from: out, port: '0', watch: true })
  await expect.poll(() => context.notes.join('\n'), { timeout: 30_000 }).toContain('watching')
  const live = context.results[0]!
  expect(live).toMatch(/_live$/)
  expect(await (await fetch(live)).text()).toContain('EventSource')
  const events = await fetch(`${live}/events`)
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toContain('here')
  writeFileSync(join(out, 'mtta.html'), '<h1>again</h1>')
  expect((await reader.read()).value).toContain('changed')
  await reader.cancel()
  own.abort(new Error('stopped'))
  expect(await done).toBe(0)
})

test('`faultline serve` prints a notice if the folder has no report pages yet', async () => {
  const own = new AbortController()
  const context = { ...listening({}), signal: own.signal }
  const done = serve(context, { from: join(folder, 'empty'), port: '0' })
  await vi.waitFor(() => expect(context.notes.join()).toMatch(/No reports in .*empty yet/))
  own.abort(new Error('stopped'))
  expect(await done).toBe(0)
})
