/**
 * Measures how long the included reports take on a warehouse with many incidents.
 * Usage: `node dist/bench/reports.js INCIDENTS [--queries] [--no-lists] [--keep=FILE] [--config=FILE]`
 * Times include opening the copy, and running, rendering and writing the reports. --queries prints slow statements,
 * and --no-lists omits the lists of incidents. --keep reuses a file, or creates a missing one.
 */

import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../dist/config/config.js'
import { runReport } from '../../dist/page/run-report.js'
import { writeReport } from '../../dist/page/write-report-files.js'
import { byPeriod, listReports } from '../../dist/report/report-catalog.js'
import { resolveStorage } from '../../dist/sdk/resolve-storage.js'
import { defaultSettings } from '../../dist/settings/settings.js'
import { pooled } from '../../dist/warehouse/read/pool.js'
import { openReader, type Reader } from '../../dist/warehouse/read/reader.js'
import { bigCompany } from './big-company.js'
import { option } from './options.js'

const count = Number(process.argv[2] ?? 100_000)
const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const kept = process.argv.find((word) => word.startsWith('--keep='))?.slice('--keep='.length)
const path = kept ?? join(folder, 'bench.duckdb')
const config = option('config', '')
const settings = config === '' ? defaultSettings : loadConfig({ config }).settings
const seconds = (ms: number) => Math.round(ms / 10) / 100
const cpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

try {
  if (!existsSync(path)) {
    const startedAt = performance.now()
    await bigCompany(path, count)
    const made = { incidents: count, made_s: seconds(performance.now() - startedAt) }
    console.log(JSON.stringify({ ...made, file_mb: Math.round(statSync(path).size / 1e6) }))
  }
  const startedAt = performance.now()
  const cpuBefore = cpu()
  const reader = await openReader(await resolveStorage(path), { memoryLimit: '512MB', settings })
  console.log(JSON.stringify({ opened_s: seconds(performance.now() - startedAt) }))
  const measured = process.argv.includes('--queries') ? telling(reader) : reader
  const sessions = pooled(measured)
  for (const { name, file } of byPeriod(listReports('reports'))) {
    const [from, cpuFrom] = [performance.now(), cpu()]
    const result = await runReport(file, sessions, { lists: !process.argv.includes('--no-lists') })
    const ran = performance.now()
    writeReport(result, folder, ['html', 'csv'])
    const times = {
      ran_s: seconds(ran - from),
      drawn_s: seconds(performance.now() - ran),
      cpu_s: seconds(cpu() - cpuFrom),
    }
    console.log(JSON.stringify({ report: name, ...times }))
  }
  reader.close()
  const peak_mb = Math.round(process.resourceUsage().maxRSS / 1024)
  const all_s = seconds(performance.now() - startedAt)
  console.log(JSON.stringify({ incidents: count, all_s, cpu_s: seconds(cpu() - cpuBefore), peak_mb }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Returns a reader whose sessions print statements that take longer than 50 ms. */
function telling(reader: Reader): Reader {
  const timed = async <Result>(what: string, act: () => Promise<Result>): Promise<Result> => {
    const [from, cpuFrom] = [performance.now(), cpu()]
    const result = await act()
    const ms = Math.round(performance.now() - from)
    if (ms > 50) console.log(JSON.stringify({ ms, cpu_ms: Math.round(cpu() - cpuFrom), what }))
    return result
  }
  return {
    ...reader,
    session: async () => {
      const session = await timed('session', () => reader.session())
      return {
        ...session,
        query: (sql, parameters) => timed(sql.slice(0, 60), () => session.query(sql, parameters)),
        keep: (name, sql, options) => timed(`keep ${name}`, () => session.keep(name, sql, options)),
        read: (name) => timed(`read ${name}`, () => session.read(name)),
        define: (sql) => session.define(sql),
        close: () => session.close(),
      }
    },
  }
}
