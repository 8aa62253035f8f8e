import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../support/cli.ts'
import { ownFolder } from '../support/folder.ts'

const folder = ownFolder()

const demo = (world: string) => run(['demo', '--world', world, '--to', world], {}, folder)
/** The text after `begin: ` in the output, with plain spaces instead of no-break spaces. */
const said = (out: string, begin: string) =>
  out.replaceAll(/[\u00a0\u202f]/g, ' ').match(new RegExp(`^${begin}: (.*)$`, 'm'))?.[1] ?? ''
const saidFirst = (out: string) => said(out, 'First finding of the review')

test('`faultline demo` rejects an unknown scenario before it writes anything', async () => {
  const { code, err } = await demo('test-service')
  expect(code).toBe(2)
  expect(err).toMatch(/Unknown world "test-service"[\s\S]*test-services/)
  expect(existsSync(join(folder, 'test-service'))).toBe(false)
})

describe('the configuration of the scenario test-services', () => {
  let out: string
  beforeAll(async () => {
    out = (await demo('test-services')).out
  }, 300_000)

  test('excludes more than 11/12 of all incidents from the review', () => {
    const without = said(out, 'Without test-services.test-services\\.json')
    const incidentsOf = (text: string) => Number(text.match(/([\d,]+) incidents/)?.[1]?.replace(',', ''))
    expect(incidentsOf(saidFirst(out))).toBeGreaterThan(100)
    expect(incidentsOf(without)).toBeGreaterThan(12 * incidentsOf(saidFirst(out)))
  })

  test('contains dimensions, targets and measures that take effect in the warehouse', async () => {
    const query = `select
      (select count(*) from incident_times) as incidents,
      (select count(distinct dimensions['service']) from incident_times) as services,
      (select count(distinct lower(dimensions['service'])) from incident_times) as lower_services,
      (select acknowledged from automation() where (incident_severity, team_name) = ('(all)', '(all)')) as by_robot,
      (select list(target_s order by target_s) from target_attainment() where measure = 'acknowledge'
        and (incident_severity, team_name) in (('Info', '(all)'), ('Critical', 'Payments'))) as targets,
      (select median(seconds) from incident_measures where measure = 'mitigate') as mitigated,
      (select median(time_to_resolve_s) from incident_times) as resolved`
    const asked = await run(
      ['sql', '--config', 'test-services/test-services.json', '--json', query],
      {},
      folder,
    )
    expect(asked.err).toBe('')
    const [row] = JSON.parse(asked.out) as [Record<string, number>]
    expect(row).toMatchObject({ targets: [120, 7_200] })
    expect([row.incidents! < 450, row.services! > 10, row.by_robot! > 20]).toEqual([true, true, true])
    expect(row.services).toBe(row.lower_services)
    expect(row.resolved).toBeGreaterThan(3 * row.mitigated!)
  })
})
