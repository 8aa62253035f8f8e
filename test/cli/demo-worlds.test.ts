import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../support/cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-worlds-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const demo = (world: string) => run(['demo', '--world', world, '--to', world], {}, folder)
/** Replaces no-break spaces by spaces. */
const said = (out: string, begin: string) =>
  out.replaceAll(/[\u00a0\u202f]/g, ' ').match(new RegExp(`^${begin}: (.*)$`, 'm'))?.[1] ?? ''
const saidFirst = (out: string) => said(out, 'The review says first')

test('a storm is reported as one spike, and as neither better nor worse', async () => {
  const { code, out } = await demo('storm')
  expect(code).toBe(0)
  expect(saidFirst(out)).toMatch(
    /^Spike on \d+ \w{3}: \d{3} incidents \(usual: \d\d per week\), nearly all from Payments \(production\)\./,
  )
  expect(saidFirst(out)).not.toMatch(/better|worse/)
  expect(existsSync(join(folder, 'storm/storm.json'))).toBe(false)
}, 300_000)

test('a data gap is reported as one, with the next step', async () => {
  const { code, out } = await demo('silence')
  expect(code).toBe(0)
  expect(saidFirst(out)).toMatch(
    /^No incidents recorded since .* \((49|5\d) days; .*Next steps: check that the integrations still send alerts\.$/,
  )
}, 300_000)

test('an unknown scenario is a usage error before anything is written', async () => {
  const { code, err } = await demo('test-service')
  expect(code).toBe(2)
  expect(err).toMatch(/no world "test-service"[\s\S]*test-services/)
  expect(existsSync(join(folder, 'test-service'))).toBe(false)
})

describe('the configuration of test services corrects each error of a count by hand', () => {
  let out: string
  beforeAll(async () => {
    out = (await demo('test-services')).out
  }, 300_000)

  const ask = async (source: string[], sql: string) => {
    const { out: csv, err } = await run(['sql', ...source, '--format', 'csv', sql], {}, folder)
    expect(err).toBe('')
    return csv
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').map(Number))
  }
  const byHand = (sql: string) => ask(['--warehouse', 'test-services/demo.duckdb'], sql)
  const told = (sql: string) => ask(['--config', 'test-services/test-services.json'], sql)

  test('the review shows the number of incidents with and without it', () => {
    const without = said(out, 'Without test-services.test-services\\.json')
    const incidentsOf = (text: string) => Number(text.match(/([\d,]+) incidents/)?.[1]?.replace(',', ''))
    expect(incidentsOf(saidFirst(out))).toBeGreaterThan(100)
    expect(incidentsOf(without)).toBeGreaterThan(12 * incidentsOf(saidFirst(out)))
  })

  test('test incidents are counted, in their channels and elsewhere', async () => {
    const [[all, quick]] = (await byHand('select count(*), median(time_to_close_s) from incident_times')) as [
      number[],
    ]
    expect([all! > 5_500, quick! < 60]).toEqual([true, true])
    const [[counted, slow]] = (await told(
      'select count(*), median(time_to_close_s) from incident_times',
    )) as [number[]]
    expect([counted! < 450, slow! > 3_600]).toEqual([true, true])
    // Test incidents of other channels.
    const [[elsewhere]] = (await byHand(
      "select count(*) from incident_times where channel_name not in ('Soaking', 'Silent Test')",
    )) as [number[]]
    expect(elsewhere! - counted!).toBeGreaterThan(50)
  })

  test('a service has two spellings', async () => {
    const spelled = `select count(distinct json_extract_string(labels, '$.service')), count(distinct lower(json_extract_string(labels, '$.service')))
      from incidents where channel_name not in ('Soaking', 'Silent Test')`
    const [[spellings, services]] = (await byHand(spelled)) as [number[]]
    const [[dimensions]] = (await told(
      "select count(distinct dimensions['service']) from incident_times where dimensions['service'] <> '(none)'",
    )) as [number[]]
    expect(spellings).toBeGreaterThan(services!)
    expect(dimensions).toBeLessThanOrEqual(services!)
  })

  test('a robot acknowledges in 45 seconds', async () => {
    const asked =
      "from automation() select acknowledged, people_median_s where (incident_severity, team_name) = ('(all)', '(all)')"
    expect(await byHand(asked)).toEqual([])
    const [[acknowledged, people]] = (await told(asked)) as [number[]]
    const [[mixed]] = (await told('select median(time_to_ack_s) from incident_times')) as [number[]]
    expect(acknowledged).toBeGreaterThan(20)
    expect(people).toBeGreaterThan(mixed!)
  })

  test('nights count, and all incidents have one target', async () => {
    const targets = `from target_attainment() select target_s, is_in_hours::int
      where measure = 'acknowledge' and (incident_severity, team_name) in (('Info', '(all)'), ('Critical', 'Payments')) order by 1`
    expect(await byHand(targets)).toEqual([
      [300, 0],
      [3_600, 0],
    ])
    expect(await told(targets)).toEqual([
      [120, 0],
      [7_200, 1],
    ])
  })

  test('an incident ends when it is closed', async () => {
    const [[mitigated, closed]] = (await told(`
      select median(m.seconds), median(t.time_to_resolve_s)
      from incident_measures as m join incident_times as t using (account_id, incident_id)
      where m.measure = 'mitigate' and m.seconds is not null`)) as [number[]]
    expect(mitigated).toBeGreaterThan(600)
    expect(closed).toBeGreaterThan(3 * mitigated!)
  })
})
