/**
 * Measures the start, size and page rate of the sandbox as a process.
 * Usage: `node dist/bench/sandbox.js [INCIDENTS] [SECONDS]`.
 * Measures only the CPU time of the sandbox, so other programs on the machine have no effect. The client needs a
 * separate core.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'

const incidents = Number(process.argv[2] ?? 1_000_000)
const seconds = Number(process.argv[3] ?? 5)
const IN_FLIGHT = 4
const DAY = 86_400

const main = fileURLToPath(new URL('../cli/main.js', import.meta.url))
const startedAt = performance.now()
const child = spawn(
  process.execPath,
  [
    main,
    'sandbox',
    '--port',
    '0',
    '--incidents',
    String(incidents),
    '--now',
    '2026-01-01',
    '--stand',
    '--no-limits',
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
process.on('exit', () => child.kill())
const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
const startSeconds = (performance.now() - startedAt) / 1_000
const startCpu = cpuSeconds()
const { base_url, app_key, now } = JSON.parse(line) as { base_url: string; app_key: string; now: number }
const pool = new Pool(base_url, { connections: IN_FLIGHT })

interface Row {
  incident_id: string
  incident_severity: string
  progress: string
}

interface PageData {
  items: Row[]
  has_next_page: boolean
  search_after_ctx?: string
}

/** Returns a page as text. Parsing would be work of the client, which is not measured here. */
async function page(request: Record<string, unknown>): Promise<string> {
  const { statusCode, body } = await pool.request({
    path: `/incident/list?app_key=${app_key}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ limit: 100, ...request }),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(text)
  return text
}

/**
 * Counts the pages and bytes that one reader receives until the time `until`. The reader follows the cursors of one day
 * at a time.
 */
async function read(reader: number, until: number): Promise<{ pages: number; bytes: number }> {
  let pages = 0
  let bytes = 0
  for (let day = reader; ; day += IN_FLIGHT) {
    const end = now - (day % 150) * DAY
    let cursor: string | undefined
    do {
      const text = await page({ start_time: end - DAY, end_time: end, search_after_ctx: cursor })
      pages++
      bytes += text.length
      if (performance.now() > until) return { pages, bytes }
      cursor = /"search_after_ctx":"([^"]*)"\}\}$/.exec(text)?.[1]
    } while (cursor !== undefined)
  }
}

/** Reads all incidents of two days that pass a filter. */
async function list(filter: Record<string, unknown>): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | undefined; ; ) {
    const text = await page({ start_time: now - 2 * DAY, end_time: now, search_after_ctx: cursor, ...filter })
    const { data } = JSON.parse(text) as { data: PageData }
    rows.push(...data.items)
    cursor = data.search_after_ctx
    if (!data.has_next_page) return rows
  }
}

const all = await list({})
for (const [field, word] of [
  ['incident_severity', 'Critical'],
  ['incident_severity', 'Info'],
  ['progress', 'Closed'],
  ['progress', 'Triggered'],
] as const) {
  const expected = all.filter((row) => row[field] === word).map((row) => row.incident_id)
  const given = (await list({ [field]: word })).map((row) => row.incident_id)
  if (given.join() !== expected.join()) throw new Error(`the filter ${field} ${word} is wrong`)
}

await Promise.all(Array.from({ length: IN_FLIGHT }, (_, k) => read(k, performance.now() + 1_000)))
const cpuBefore = cpuSeconds()
const readFrom = performance.now()
const readers = await Promise.all(
  Array.from({ length: IN_FLIGHT }, (_, k) => read(k, readFrom + seconds * 1_000)),
)
const readSeconds = (performance.now() - readFrom) / 1_000
const pages = readers.reduce((sum, one) => sum + one.pages, 0)
const cpuMs = ((cpuSeconds() - cpuBefore) * 1_000) / pages
console.log(
  JSON.stringify({
    incidents,
    load_average: round(loadavg()[0]!),
    start_s: round(startSeconds),
    start_cpu_s: round(startCpu),
    pages_per_s: Math.round(pages / readSeconds),
    cpu_ms_per_page: round(cpuMs),
    pages_per_cpu_s: Math.round(1_000 / cpuMs),
    kb_per_page: Math.round(readers.reduce((sum, one) => sum + one.bytes, 0) / pages / 1_000),
    peak_mb: Math.round(Number(/VmHWM:\s+(\d+)/.exec(proc('status'))?.[1]) / 1_024),
    rows_checked: all.length,
  }),
)
await pool.close()
process.exit()

/** CPU seconds of all threads of the sandbox so far, from Linux ticks of 10 ms. */
function cpuSeconds(): number {
  const fields = proc('stat').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function proc(name: string): string {
  return readFileSync(`/proc/${child.pid}/${name}`, 'utf8')
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
