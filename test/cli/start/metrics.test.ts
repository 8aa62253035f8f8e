import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type MetricsInput, metricsText, serveMetrics } from '../../../src/cli/start/metrics.ts'
import { monitored } from '../../../src/cli/start/monitoring.ts'
import { type Config, loadConfig } from '../../../src/config/config.ts'
import { realEffects } from '../../../src/effects.ts'
import { healthOf, writeHealth } from '../../../src/schedule/health.ts'
import { parseCron } from '../../../src/settings/cron.ts'
import { ownFolder } from '../../support/folder.ts'
import { warehouseFile } from '../../support/warehouse.ts'

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url))
const folder = ownFolder()
const NASTY = 'EM"EA\\ \n x'
let config: Config
let told: MetricsInput
let text: string
beforeAll(async () => {
  const warehouse = await warehouseFile(async (connection) => {
    const now = `timestamptz '2026-11-20 02:30:00Z'`
    await connection.run(`insert into accounts (account_id, name) values (7, $name), (8, null)`, {
      name: NASTY,
    })
    for (const [account, run, status, requests] of [
      [7, 1, 'ok', 120],
      [7, 2, 'partial', 30],
      [8, 1, 'ok', 5],
    ]) {
      await connection.run(`insert into sync_runs by name (select ${account} as account_id, ${run} as run_id,
        ${now} + interval (${run}) day as started_at, ${now} + interval (${run}) day + interval 90 second as finished_at,
        '${status}' as status, ${requests} as requests, 3 as throttled, 400 as rows_read, 40 as rows_written,
        case when '${status}' = 'ok' then ${now} + interval (${run}) day end as as_of_at)`)
    }
  })
  config = {
    ...loadConfig({ warehouse }, {}),
    schedule: { ...loadConfig({}, {}).schedule, healthFile: join(folder, 'health.json') },
  }
  const record = {
    since: 0,
    dueAt: Date.parse('2026-11-22T02:30:00Z'),
    startedAt: Date.parse('2026-11-22T02:30:00Z'),
    finishedAt: Date.parse('2026-11-22T02:31:40Z'),
    outcome: 'ok' as const,
    succeededAt: Date.parse('2026-11-22T02:31:40Z'),
    error: null,
    failures: 0,
    tries: 0,
  }
  const cron = parseCron('30 2 * * *', 'UTC', 'schedule.sync')
  const job = { name: 'sync', kind: 'sync' as const, subject: undefined, cron }
  const due = Date.parse('2026-11-23T02:30:00Z')
  const states = [{ job, record, nextRunAt: due, due }]
  const facts = { pid: 1, startedAt: 0, now: Date.parse('2026-11-22T12:00:00Z') }
  writeHealth(config.schedule.healthFile, healthOf('waiting', facts, states))
  told = { config, healthFile: config.schedule.healthFile }
  text = await metricsText(told)
})

describe('the metrics of the scheduler', () => {
  test('match the state of the warehouse and the jobs', () => {
    expect(text).toContain('faultline_warehouse_up 1\n')
    expect(text).toContain('faultline_job_last_duration_seconds{job="sync"} 100\n')
    expect(text).toContain(
      `faultline_job_next_run_timestamp_seconds{job="sync"} ${Date.parse('2026-11-23T02:30:00Z') / 1_000}\n`,
    )
    const account = 'account="EM\\"EA\\\\ \\n x"'
    expect(text).toContain(`faultline_sync_requests{${account}} 30\n`)
    expect(text).toContain(`faultline_sync_ok{${account}} 0\n`)
    // The newest run did not finish, so the data is as old as the previous run.
    expect(text).toContain(
      `faultline_data_as_of_timestamp_seconds{${account}} ${Date.parse('2026-11-21T02:30:00Z') / 1_000}\n`,
    )
    expect(text).toContain('faultline_sync_requests{account="8"} 5\n')
  })

  test('are valid OpenMetrics text with unique families and samples', () => {
    const lines = text.split('\n')
    expect(lines.slice(-2)).toEqual(['# EOF', ''])
    const families: string[] = []
    const samples = new Set<string>()
    for (const line of lines.slice(0, -2)) {
      const type = /^# TYPE ([a-z_]+) gauge$/.exec(line)
      if (type) families.push(type[1]!)
      if (type) continue
      expect(line).toMatch(new RegExp(`^(# HELP ${families.at(-1)} .|${families.at(-1)}[{ ])`))
      if (line.startsWith('#')) continue
      const sample =
        /^([a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\})?) (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(
          line,
        )
      expect(sample, line).not.toBeNull()
      expect(samples.has(sample![1]!)).toBe(false)
      samples.add(sample![1]!)
    }
    expect(new Set(families).size).toBe(families.length)
    expect(families.length).toBeGreaterThan(15)
  })

  test('report a missing warehouse', async () => {
    const none = await metricsText({ ...told, config: { ...config, warehouse: join(folder, 'none.duckdb') } })
    expect(none).toContain('faultline_warehouse_up 0\n')
    expect(none).toContain('faultline_job_failures{job="sync"} 0\n')
  })

  test('are served at /metrics', async () => {
    const server = await serveMetrics('0', told, realEffects())
    onTestFinished(() => server.close())
    const response = await fetch(server.url)
    expect(response.headers.get('content-type')).toMatch(/^application\/openmetrics-text; version=1\.0\.0/)
    expect(await response.text()).toBe(text)
    expect((await fetch(server.url.replace('/metrics', '/'))).status).toBe(404)
    await expect(serveMetrics('99999', told, realEffects())).rejects.toThrow(/"99999" is not a port/)
  })
})

describe('the Grafana files in deploy/', () => {
  test('use only existing metrics', () => {
    const known = new Set(text.match(/(?<=^# TYPE )[a-z_]+/gm))
    const asked = ['grafana/dashboard.json', 'grafana/alerts.yaml'].flatMap(
      (file) => readFileSync(join(deploy, file), 'utf8').match(/faultline_[a-z_]+/g) ?? [],
    )
    expect(asked.length).toBeGreaterThan(10)
    // Tables that were never read are missing from the sample.
    const unseen = ['faultline_last_read_timestamp_seconds', 'faultline_quarantined_records']
    expect(asked.filter((name) => !known.has(name) && !unseen.includes(name))).toEqual([])
    const { panels } = JSON.parse(readFileSync(join(deploy, 'grafana/dashboard.json'), 'utf8'))
    expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length)
  })
})

test('the scheduler writes its metrics to the configured file and leaves no partial file', async () => {
  const metricsFile = join(folder, 'textfile', 'faultline.prom')
  mkdirSync(join(folder, 'textfile'))
  const { save } = await monitored(
    config,
    { metricsFile },
    {
      effects: realEffects(),
      secrets: [],
      healthFile: config.schedule.healthFile,
    },
  )
  save!('waiting', [])
  await expect.poll(() => existsSync(metricsFile), { timeout: 30_000 }).toBe(true)
  expect(readFileSync(metricsFile, 'utf8')).toMatch(/^# TYPE faultline_/)
  expect(readdirSync(join(folder, 'textfile'))).toEqual(['faultline.prom'])
})
