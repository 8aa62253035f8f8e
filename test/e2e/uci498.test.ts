import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { run } from '../support/cli.ts'
import { differences, objects, withConnection } from '../support/truth.ts'

const data = fileURLToPath(new URL('../../../shared/data/uci498', import.meta.url))
const isThere = existsSync(data)
if (!isThere)
  console.warn(`24,918 real incidents are not at ${data}: the main job on real data is not tested here`)

interface Times {
  n: number
  mean: number
  median: number
  p90: number
  max: number
}
interface Figures {
  incidents: number
  acknowledged: number
  negative_ack: number
  time_to_ack_s: Times
  time_to_close_s: Times
  time_to_recover_s: Times
  closed_never_recovered: number
}
interface Expected {
  all: Figures
  by_severity: Record<string, Figures>
  responder_rows: number
}

describe.skipIf(!isThere)('the main job on 24,918 real incidents, with the rate limits on', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-uci498-'))
  const warehouse = join(folder, 'uci498.duckdb')
  const expected: Expected = isThere ? JSON.parse(readFileSync(join(data, 'expected.json'), 'utf8')) : {}
  let sandbox: Sandbox
  let environment: Record<string, string>

  beforeAll(async () => {
    sandbox = await startSandbox({ dataDir: data, now: Date.parse('2017-03-01T00:00:00Z') / 1_000 })
    environment = {
      FAULTLINE_APP_KEY: sandbox.appKey,
      FAULTLINE_BASE_URL: sandbox.baseUrl,
      FAULTLINE_WAREHOUSE: warehouse,
    }
    const first = await run(['sync', '--since', '2016-02-01', '--json'], environment)
    expect(first.err).not.toContain('error')
    expect(first.code).toBe(0)
  }, 300_000)

  afterAll(async () => {
    await sandbox.close()
    rmSync(folder, { recursive: true })
  })

  test('the warehouse equals the service, row by row', async () => {
    expect(await differences(sandbox.baseUrl, warehouse)).toEqual([])
    const [counts] = await withConnection(warehouse, (connection) =>
      objects(
        connection,
        'select count(*) as incidents, (select count(*) from incident_responders) as responders from incidents',
      ),
    )
    expect(counts).toEqual({ incidents: 24_918n, responders: BigInt(expected.responder_rows) })
  })

  test('the service rejected no request, and no window exceeded the limits', () => {
    const stats = sandbox.stats()
    expect(stats.rate_limited).toBe(0)
    expect(stats.most_in_1s.offered).toBeLessThanOrEqual(50)
    expect(stats.most_in_60s.offered).toBeLessThanOrEqual(1_000)
  })

  test.each(isThere ? [['all', expected.all] as const, ...Object.entries(expected.by_severity)] : [])(
    'every figure of %s comes out of the views',
    async (severity, figures) => {
      const filter = severity === 'all' ? '' : `where incident_severity = '${severity}'`
      const times = ['time_to_ack_s', 'time_to_close_s', 'time_to_recover_s'] as const
      const columns = times.map(
        (
          time,
        ) => `count(${time})::int as ${time}_n, avg(${time}) as ${time}_mean, median(${time}) as ${time}_median,
          quantile_cont(${time}, 0.9) as ${time}_p90, max(${time}) as ${time}_max`,
      )
      const [row] = await withConnection(warehouse, (connection) =>
        objects(
          connection,
          `select count(*)::int as incidents, count(*) filter (is_acknowledged)::int as acknowledged,
            count(*) filter (is_negative_ack)::int as negative_ack,
            count(*) filter (close_state = 'closed_while_firing')::int as closed_never_recovered,
            ${columns.join(', ')} from incident_times ${filter}`,
        ),
      )
      const { incidents, acknowledged, negative_ack, closed_never_recovered } = figures
      expect(row).toMatchObject({ incidents, acknowledged, negative_ack, closed_never_recovered })
      for (const time of times) {
        for (const statistic of ['n', 'mean', 'median', 'p90', 'max'] as const) {
          const is = row?.[`${time}_${statistic}`] as number
          expect(Math.abs(is - figures[time][statistic]), `${time} ${statistic}`).toBeLessThanOrEqual(1e-6)
        }
      }
    },
  )

  test('a second sync changes nothing', async () => {
    const contents = () =>
      withConnection(warehouse, (connection) =>
        objects(connection, 'select incident_id, _hash, _seen_at, _run_id from incidents order by 1'),
      )
    const before = await contents()
    const second = await run(['sync', '--since', '2016-02-01', '--json'], environment)
    expect(second.code).toBe(0)
    expect(JSON.parse(second.out)).toMatchObject({ status: 'ok', inserted: 0, replaced: 0, vanished: 0 })
    expect(await contents()).toEqual(before)
  }, 300_000)

  test('the reports of that warehouse show the same figures', async () => {
    const out = join(folder, 'out')
    const period = ['--period', '2016-02-01..2017-03-01', '--timezone', 'UTC']
    const report = await run(['report', 'mtta-mttr', 'severity-trend', ...period, '--to', out], environment)
    expect(report.err).toBe('')
    expect(report.code).toBe(0)
    const at = '2016-02-01_2017-03-01'
    const figures = readFileSync(join(out, 'mtta-mttr', at, 'figures.csv'), 'utf8')
    for (const time of ['time_to_ack_s', 'time_to_close_s', 'time_to_recover_s'] as const) {
      const { n, median } = expected.all[time]
      expect(figures, time).toContain(`,${n},${median},`)
    }
    const severities = readFileSync(join(out, 'severity-trend', at, 'by_severity.csv'), 'utf8')
    for (const [severity, { incidents }] of Object.entries(expected.by_severity)) {
      expect(severities).toContain(`${severity},${incidents},`)
    }
    for (const name of ['mtta-mttr', 'severity-trend']) {
      expect(readFileSync(join(out, name, `${at}.html`), 'utf8')).toContain(
        expected.all.incidents.toLocaleString('en'),
      )
    }
  }, 300_000)
})
