/**
 * Measures the first load of all incidents by Faultline and by dlt's REST source (tuned and with its defaults).
 * Usage: `node dist/bench/peers/run.js [--incidents=20000] [--runs=5] [--without-default]`
 * Prints times only if all programs stored the sandbox's records. With --runs=0, only checks the records. Needs python3
 * with pip, and access to a package registry.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { installed } from '../../support/python.ts'
import { sideDoor } from '../../support/side-door.ts'
import { option, round } from '../options.js'
import { type SandboxProcess, sandboxProcess } from '../sandbox-process.js'
import { writePlainRecords } from './plain-records.js'

const WINDOW = 31 * 86_400
const here = (path: string) => fileURLToPath(new URL(`../../../test/bench/peers/${path}`, import.meta.url))
const ours = fileURLToPath(new URL('./ours.js', import.meta.url))

interface Stored {
  rows: number
  checksum: string
  peak_mb: number
}

interface Run extends Stored {
  seconds: number
  requests: number
}

interface Truth {
  rows: number
  checksum: string
  first: number
}

/** The Python packages of the comparison. A later run uses them again. */
const packages = join(tmpdir(), 'faultline-peers-packages')
if (installed(['--requirement', here('requirements.txt')], packages)) process.exitCode = await compare()
else {
  console.error('The comparison cannot run: it needs python3 with pip, and dlt from its registry.')
  process.exitCode = 1
}

async function compare(): Promise<number> {
  const incidents = Number(option('incidents', '20000'))
  const runs = Number(option('runs', '5'))
  const records = mkdtempSync(join(tmpdir(), 'faultline-peers-'))
  await writePlainRecords(incidents, records)
  const sandbox = await sandboxProcess(incidents, '--no-limits', '--data', records)
  const { baseUrl, now } = sandbox
  try {
    const truth = await readTruth(baseUrl)
    // All programs read the same range, which ends now and is a multiple of the window's length.
    const first = now - Math.ceil((now - truth.first) / WINDOW) * WINDOW
    const dlt = (mode: string) => (folder: string) => [
      'python3',
      here('pipeline.py'),
      baseUrl,
      String(first),
      String(now),
      folder,
      mode,
    ]
    const peers: Record<string, (folder: string) => string[]> = {
      ...(process.argv.includes('--without-default') ? {} : { 'dlt, as it is': dlt('default') }),
      'dlt, tuned': dlt('tuned'),
      faultline: (folder) => [process.execPath, ours, baseUrl, String(first), folder],
    }
    const results: Record<string, Run[]> = {}
    const names = Object.keys(peers)
    // The first round is a warm-up: its rows are checked, but its time does not count.
    for (let round = 0; round <= runs; round++)
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const run = await measure(peers[name]!, sandbox)
        if (run.checksum !== truth.checksum || run.rows !== truth.rows) {
          console.error(
            `${name} stored ${run.rows} rows, checksum ${run.checksum}; the sandbox holds ${truth.rows}, ${truth.checksum}.`,
          )
          return 1
        }
        if (round > 0) results[name] = [...(results[name] ?? []), run]
        console.error(`${round === 0 ? 'warm-up' : `run ${round}`} ${name}: ${run.seconds.toFixed(1)} s`)
      }
    console.error(`all of them stored the ${truth.rows} rows of the sandbox`)
    if (runs > 0)
      for (const name of names)
        console.log(JSON.stringify({ name, ...summary(results[name] ?? [], truth.rows) }))
    return 0
  } finally {
    sandbox.stop()
    rmSync(records, { recursive: true })
  }
}

async function measure(commandIn: (folder: string) => string[], sandbox: SandboxProcess): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-peer-'))
  const { requests: before } = await sandbox.seen()
  try {
    const [program, ...args] = commandIn(folder)
    const startedAt = performance.now()
    const child = spawn(program!, args, {
      // dlt reads its settings only in this folder, so the settings of the user do not apply.
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PYTHONPATH: packages,
        APP_KEY: sandbox.appKey,
        RUNTIME__DLTHUB_TELEMETRY: 'false',
        RUNTIME__LOG_LEVEL: 'ERROR',
        ...(args.at(-1) === 'tuned' ? { EXTRACT__WORKERS: '12', RUNTIME__REQUEST_MAX_ATTEMPTS: '12' } : {}),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    const [code] = (await once(child, 'close')) as [number | null]
    const seconds = (performance.now() - startedAt) / 1_000
    if (code !== 0) throw new Error(`${program} ended with ${code}`)
    const stored = JSON.parse(out.trimEnd().split('\n').at(-1)!) as Stored
    return { ...stored, seconds, requests: (await sandbox.seen()).requests - before }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns what each program must have stored, and the start of the oldest incident. */
async function readTruth(baseUrl: string): Promise<Truth> {
  const response = await sideDoor(baseUrl, 'truth')
  const rows: [id: string, text: string][] = []
  let first = Number.POSITIVE_INFINITY
  for await (const line of createInterface(Readable.fromWeb(response.body as never))) {
    const row = JSON.parse(line) as Record<string, string | number>
    const { incident_id, progress, ack_time, close_time, updated_at } = row
    rows.push([String(incident_id), [incident_id, progress, ack_time, close_time, updated_at].join('|')])
    first = Math.min(first, Number(row.start_time))
  }
  rows.sort(([a], [b]) => (a < b ? -1 : 1))
  const checksum = createHash('md5')
    .update(rows.map(([, text]) => text).join('\n'))
    .digest('hex')
  return { rows: rows.length, checksum, first }
}

function summary(runs: readonly Run[], rows: number) {
  const seconds = runs.map((run) => run.seconds).sort((a, b) => a - b)
  const median = seconds[seconds.length >> 1]!
  return {
    rows,
    runs: runs.length,
    seconds: round(median),
    seconds_from: round(seconds[0]!),
    seconds_to: round(seconds.at(-1)!),
    rows_per_s: Math.round(rows / median),
    peak_mb: Math.max(...runs.map((run) => run.peak_mb)),
    requests: runs[0]!.requests,
    load_average: round(loadavg()[0]!),
  }
}
