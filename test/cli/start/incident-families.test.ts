import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { incidentFigures } from '../../../src/cli/start/incident-families.ts'
import { openMetrics } from '../../../src/cli/start/metric-family.ts'
import { serveMetrics } from '../../../src/cli/start/metrics.ts'
import { monitored } from '../../../src/cli/start/monitoring.ts'
import { type Config, loadConfig } from '../../../src/config/config.ts'
import { realEffects } from '../../../src/effects.ts'
import { workerHealthFileOf } from '../../../src/schedule/health.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import type { Reader } from '../../../src/warehouse/read/reader.ts'
import { company, readAt } from '../../page/odd-worlds.ts'
import { run } from '../../support/cli.ts'
import { ownFolder } from '../../support/folder.ts'
import { plainRows } from '../../support/plain-rows.ts'
import { openReader } from '../../support/storage.ts'
import { warehouseFile } from '../../support/warehouse.ts'
import { inhabit } from '../../support/world.ts'

const NASTY = 'Pay"ments\\ \n {x}'
const DAY = 86_400
/** Sixty teams in order of size, largest first, with some open, unacknowledged and late incidents. */
const made = Array.from({ length: 1_500 }, (_, place) => {
  const team = Math.floor(((place % 60) * ((place * 7_919) % 61)) / 61)
  return {
    ago: 0.2 + (place * 40) / 1_500,
    team: team === 0 ? NASTY : `Team ${team}`,
    ack: place % 7 === 0 ? null : 20 + ((place * 613) % 3_000),
    close: place % 11 === 0 ? null : 600 + ((place * 7_907) % 90_000),
  }
})

const folder = ownFolder()
const silent = { ...realEffects(), log: { info() {}, warn() {}, error() {} } as never }
let config: Config
let reader: Reader
beforeAll(async () => {
  const warehouse = await warehouseFile((connection) => inhabit(connection, company(made)))
  config = loadConfig({ warehouse }, {})
  reader = await openReader(warehouse, { settings: defaultSettings })
})
afterAll(() => reader.close())

const figures = () => incidentFigures(config, silent.log)
async function families(of = figures(), publication = 'first') {
  await expect.poll(() => of(publication).length, { timeout: 300_000 }).toBeGreaterThan(0)
  return of(publication)
}

const ownSql = (days: number) => `
  with shown as (
    select *, case when team_name in (
      select team_name from incident_times where start_time >= to_timestamp(${readAt - 28 * DAY})
      group by 1 order by count(*) desc, 1 limit 50
    ) then team_name else '(other)' end as team
    from incident_times
  ),
  each as (
    select *, unnest([team, '(all)']) as t from (select *, unnest([incident_severity, '(all)']) as s from shown)
  ),
  told as (
    select t as team, s as severity,
      count(*) filter (start_time >= to_timestamp(${readAt - days * DAY})) as incidents,
      count(*) filter (close_time is null) as open,
      list(epoch(ack_time) - epoch(start_time)) filter (ack_time is not null and start_time >= to_timestamp(${readAt - days * DAY})) as acks,
      list(epoch(close_time) - epoch(start_time)) filter (close_time is not null and start_time >= to_timestamp(${readAt - days * DAY})) as closes
    from each group by all
  )
  select team, severity, incidents, open, coalesce(len(acks), 0) as ack_n, list_aggregate(acks, 'quantile_cont', 0.5) as ack_median,
    case when len(acks) >= 10 then list_aggregate(acks, 'quantile_cont', 0.9) end as ack_p90,
    coalesce(len(closes), 0) as resolve_n, list_aggregate(closes, 'quantile_cont', 0.5) as resolve_median,
    case when len(closes) >= 10 then list_aggregate(closes, 'quantile_cont', 0.9) end as resolve_p90
  from told`

describe('incident metrics for monitoring', () => {
  test.each([7, 28])('match the results of independent SQL for the last %i days', async (days) => {
    const told = await families()
    const toldOf = (name: string, labels: Record<string, string>) =>
      told
        .find((one) => one.name === `faultline_${name}`)!
        .samples.find(([has]) => JSON.stringify(has) === JSON.stringify(labels))?.[1]
    const wanted = await plainRows(await reader.query(ownSql(days)))
    expect(wanted.filter(({ severity }) => severity === '(all)')).toHaveLength(52)
    for (const row of wanted) {
      const own = { team: String(row.team), severity: String(row.severity) }
      const of = { ...own, days: String(days) }
      expect(toldOf('incidents_open', own)).toBe(row.open)
      for (const [name, column] of [
        ['incidents', 'incidents'],
        ['ack_incidents', 'ack_n'],
        ['resolve_incidents', 'resolve_n'],
      ] as const)
        expect(toldOf(name, of), name).toBe(row[column])
      for (const [name, column] of [
        ['ack_median_seconds', 'ack_median'],
        ['ack_p90_seconds', 'ack_p90'],
        ['resolve_median_seconds', 'resolve_median'],
        ['resolve_p90_seconds', 'resolve_p90'],
      ] as const) {
        const value = row[column]
        if (value === null) expect(toldOf(name, of) ?? null, name).toBeNull()
        else expect(toldOf(name, of), name).toBeCloseTo(Number(value), 6)
      }
    }
    // The share within target. Teams without their own label are added together as (other).
    const from = `to_timestamp(${readAt - days * DAY})`
    const attained = await plainRows(
      await reader.query(`select measure, team_name, met, missed from target_attainment(started_from := ${from})
        where incident_severity = 'Critical'`),
    )
    const teams = new Set(wanted.map(({ team }) => team))
    for (const [measure, name] of [
      ['acknowledge', 'ack_in_time_ratio'],
      ['resolve', 'resolve_in_time_ratio'],
    ] as const)
      for (const team of ['(all)', NASTY, '(other)']) {
        const some = attained.filter(
          (row) =>
            row.measure === measure &&
            (team === '(other)' ? !teams.has(row.team_name as string) : row.team_name === team),
        )
        const sum = (column: string) => some.reduce((all, row) => all + Number(row[column]), 0)
        const value = toldOf(name, { team, severity: 'Critical', days: String(days) })
        if (sum('met') + sum('missed') === 0) expect(value ?? null).toBeNull()
        else expect(value).toBeCloseTo(sum('met') / (sum('met') + sum('missed')), 9)
      }
  })

  test('are computed once for each published warehouse', async () => {
    const of = figures()
    const first = await families(of)
    expect(of('first')).toBe(first)
    // The previous figures are returned until the new ones are ready.
    expect(of('second')).toBe(first)
    await expect.poll(() => of('second') === first, { timeout: 300_000 }).toBe(false)
    const second = of('second')
    expect(second).toEqual(first)
    expect(of('second')).toBe(second)
  })

  test('escape special characters of team names in labels', async () => {
    const text = openMetrics(await families())
    expect(text).toContain(`faultline_incidents_open{team="Pay\\"ments\\\\ \\n {x}",severity="(all)"} `)
    for (const line of text.split('\n').slice(0, -2))
      expect(line).toMatch(
        /^(# (TYPE|HELP) faultline_\w+ .+|faultline_\w+\{(\w+="([^"\\\n]|\\["\\n])*",?)+\} \S+)$/,
      )
  })

  test('are served on request and include every metric of the Grafana dashboard', async () => {
    const healthFile = join(folder, 'health.json')
    const without = await serveMetrics('0', { config, healthFile }, realEffects())
    onTestFinished(() => without.close())
    expect(await (await fetch(without.url)).text()).not.toContain('faultline_incidents')
    // Requests at the same time share one computation.
    let now = 0
    const server = await serveMetrics(
      '0',
      { config, healthFile, figures: figures() },
      { ...silent, now: () => (now += 60_000) },
    )
    onTestFinished(() => server.close())
    const ask = async () => (await fetch(server.url)).text()
    await expect.poll(ask, { timeout: 300_000 }).toContain('faultline_incidents_open')
    const text = await ask()
    const dashboard = readFileSync(new URL('../../../deploy/grafana/incidents.json', import.meta.url), 'utf8')
    const { panels, templating } = JSON.parse(dashboard)
    const asked = [
      ...panels.flatMap((one: { targets: { expr: string }[] }) => one.targets.map(({ expr }) => expr)),
    ]
    expect(asked.length).toBeGreaterThan(10)
    const known = new Map(
      [...text.matchAll(/^(faultline_\w+)\{(.*)\} /gm)].map(([, name, labels]) => [
        name!,
        new Set([...labels!.matchAll(/(\w+)="/g)].map(([, label]) => label!)),
      ]),
    )
    for (const expr of asked) {
      const names = [...expr.matchAll(/(faultline_\w+)(?:\{([^}]*)\})?/g)]
      expect(names.length, expr).toBeGreaterThan(0)
      for (const [, name, matchers = ''] of names) {
        expect(known.has(name!), expr).toBe(true)
        for (const [, label] of matchers.matchAll(/(\w+)[=!]/g))
          expect(known.get(name!)!.has(label!), expr).toBe(true)
      }
    }
    const variables = new Set(templating.list.map(({ name }: { name: string }) => name))
    for (const [, name] of dashboard.matchAll(/\$\{?(\w+)/g)) expect(variables.has(name!)).toBe(true)
    expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length)
  })
})

describe('monitoring systems', () => {
  test('can read the state of the schedule from a file and its metrics from a URL', async () => {
    const healthFile = join(folder, 'deep', 'health.json')
    const urls: unknown[] = []
    const info = (_: string, facts: { url?: string }) => urls.push(facts.url)
    const log = { info, warn() {}, error() {} } as never
    const effects = { ...silent, log }
    const one = await monitored(
      config,
      { metrics: '0', metricsIncidents: true },
      { effects, secrets: [], healthFile },
    )
    one.save('waiting', [])
    expect(JSON.parse(readFileSync(healthFile, 'utf8'))).toMatchObject({ state: 'waiting', pid: process.pid })
    const ask = async () => (await fetch(String(urls[0]))).text()
    expect(await ask()).toContain('faultline_scheduler_updated_timestamp_seconds')
    one.close()
    await expect(ask()).rejects.toThrow()
    await expect(
      monitored(config, { metricsIncidents: true }, { effects, secrets: [], healthFile }),
    ).rejects.toThrow(/--metrics-incidents requires/)
  })

  test('can read the health of a lake worker from a separate file', async () => {
    const warehouse = String(config.warehouse)
    const health = () => run(['lake', 'work', '--health', '--warehouse', warehouse])
    expect(await health()).toMatchObject({ code: 1, err: expect.stringContaining('never started') })
    const healthFile = workerHealthFileOf(config)
    expect(healthFile).toBe(`${warehouse}.health.worker.json`)
    const { save, close } = await monitored(config, {}, { effects: silent, secrets: [], healthFile })
    save('waiting', [])
    expect(await health()).toMatchObject({ code: 0, out: expect.stringContaining('healthy') })
    expect(await run(['lake', 'work', '--alive', '--warehouse', warehouse])).toMatchObject({ code: 0 })
    save('stopped', [])
    expect((await run(['lake', 'work', '--health', '--json', '--warehouse', warehouse])).out).toContain(
      '"healthy":false',
    )
    close()
  })
})
