import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { pickAccounts } from '../../../src/report/scope/report-filters.ts'
import { run } from '../../support/cli.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'
import { inhabit } from '../../support/world.ts'

/** Names that contain a comma, which also separates the values of a list. */
const TEAM = 'Ünï — "Q", x'
const SERVICE = 'cart, checkout'
const asOf = Date.UTC(2026, 10, 2) / 1000
const teams = ['x', 'Search', TEAM, 'All, but x', 'OPS', 'OPS']
const severities = ['Critical', 'Info', 'Blocker', 'Blocker', 'Ok']
const incidents = Array.from({ length: 60 }, (_, place) => ({
  incident_id: `i${place}`,
  num: `N${place}`,
  incident_severity: severities[place % severities.length]!,
  channel_id: 1 + (place % teams.length),
  start_time: asOf - 86_400 * (7 + place),
  close_time: asOf - 86_400 * (7 + place) + 3600,
  progress: 'Closed',
  labels: { service: ['cart', SERVICE, 'search'][place % 3] },
}))
const countOf = (isOne: (one: (typeof incidents)[number]) => boolean) => incidents.filter(isOne).length

const BODY =
  "```sql q\nselect count(*) as n, count(distinct team_name) as teams from scoped_incidents where period = 'current'\n```\n{{ q.n }} of {{ q.teams }}\n"

let folder: string
beforeAll(async () => {
  const warehouse = await warehouseFile((connection) =>
    inhabit(connection, {
      incidents,
      channels: teams.map((channel_name, at) => ({ channel_id: at + 1, channel_name, team_id: at + 1 })),
      teams: teams.map((team_name, at) => ({ team_id: at + 1, team_name })),
      runs: [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }],
      windows: [
        {
          ...{ run_id: 1, resource: 'incidents', state: 'done' },
          ...{ window_start: asOf - 400 * 86_400, window_end: asOf },
        },
      ],
    }),
  )
  folder = scratch()
  mkdirSync(join(folder, 'own'))
  reportFile('small', '{ period: 13 weeks }')
  const reporting = {
    dimensions: { service: 'label.service' },
    quality: { age: { warn: null, error: null } },
  }
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ warehouse, timezone: 'UTC', out: './out', reports: './own', reporting }),
  )
})

/** Writes a report with these parameters. @returns its name */
function reportFile(name: string, params: string): string {
  writeFileSync(join(folder, 'own', `${name}.md`), `---\ntitle: T\nparams: ${params}\n---\n${BODY}`)
  return name
}

const report = (file: string, ...options: string[]) => run(['report', file, ...options], {}, folder)

async function shown(options: readonly string[], file = 'small') {
  const { code, out, err } = await report(file, '--json', ...options)
  expect([code, err.match(/error:.*/)]).toEqual([0, null])
  const { results, frame } = JSON.parse(out)
  return { n: Number(results.q[0].n), ...frame }
}

describe('a filter value with a comma', () => {
  test('selects the team with that name, not two teams named like the words around the comma', async () => {
    const ofTeam = countOf(({ channel_id }) => teams[channel_id - 1] === TEAM)
    expect(await shown(['--team', TEAM])).toMatchObject({ n: ofTeam, teams: TEAM })
    expect(await shown(['--team', `Search,${TEAM}`])).toMatchObject({
      n: 2 * ofTeam,
      teams: `Search, ${TEAM}`,
    })
    expect(await shown(['--team', 'All, but x'])).toMatchObject({ n: ofTeam, teams: 'All, but x' })
    expect(await shown(['--team', 'Search, x'])).toMatchObject({ n: 2 * ofTeam, teams: 'Search, x' })
    const params = `{ period: 13 weeks, team: ${JSON.stringify(TEAM)} }`
    expect(await shown([], reportFile('of-team', params))).toMatchObject({ n: ofTeam, teams: TEAM })
  })

  test('that names one team produces a single report page', async () => {
    expect((await report('small', '--team', TEAM, '--format', 'html')).code).toBe(0)
    expect(readdirSync(join(folder, 'out', 'teams'))).toEqual([String(1 + teams.indexOf(TEAM))])
  })

  test('is suggested in the error for a misspelled team name', async () => {
    const { code, err } = await report('small', '--team', `x,${TEAM.toUpperCase()}`)
    expect([code, err]).toEqual([2, expect.stringContaining(`Did you mean "${TEAM}"?`)])
  })

  test('selects a single value of a custom dimension', async () => {
    const n = countOf(({ labels }) => labels.service === SERVICE)
    expect(await shown(['--service', SERVICE])).toMatchObject({ n, dimensions: `service: ${SERVICE}` })
    expect(await shown(['--service', `search, ${SERVICE}`])).toMatchObject({ n: 2 * n })
  })

  test('selects a single account', () => {
    const known = ['Acme, Inc.', 'Inc.', 'Other'].map((name, id) => ({ id: String(id), name }))
    const picked = (asked: string | string[] | undefined) => pickAccounts(known, asked).map(({ id }) => id)
    expect(picked('acme, inc.')).toEqual(['0'])
    expect(picked('Other, Acme, Inc.')).toEqual(['0', '2'])
    expect(picked('Inc., Other')).toEqual(['1', '2'])
    expect(picked(['Acme, Inc.', '2'])).toEqual(['0', '2'])
    expect(picked('all')).toEqual(picked(undefined))
    expect(() => picked('Acme, Ink.')).toThrow('has no account "Acme"')
  })
})

test('a team that shares its name with another team is selected by the label that reports show', async () => {
  const n = countOf(({ channel_id }) => channel_id === 5)
  expect(await shown(['--team', 'OPS (5)'])).toMatchObject({ n, teams: 'OPS (5)' })
  const { code, err } = await report('small', '--team', 'OPS')
  expect([code, err]).toEqual([2, expect.stringContaining('OPS (5)')])
})

describe('the severity filter', () => {
  test('accepts an undocumented severity that occurs in incidents', async () => {
    const n = countOf(({ incident_severity }) => incident_severity === 'Blocker')
    expect(await shown(['--severity', 'blocker'])).toMatchObject({ n, severities: 'Blocker' })
    expect(await shown(['--severity', 'Blocker,info'])).toMatchObject({ severities: 'Blocker, Info' })
    // A documented severity can be chosen even if no incident has it.
    expect(await shown(['--severity', 'warning'])).toMatchObject({ n: 0, severities: 'Warning' })
  })

  test.each([
    ['Blockr', 'Did you mean "Blocker"?'],
    ['Critcal', 'Did you mean "Critical"?'],
    ['urgent', 'Available: Critical, Warning, Info, Ok, Blocker.'],
  ])('rejects the unknown severity %s with: %s', async (name, next) => {
    const { code, err } = await report('small', '--severity', name)
    expect([code, err]).toEqual([2, expect.stringContaining(`"${name}" is not a severity.`)])
    expect(err).toContain(next)
    const checked = await run(['report', 'check', reportFile('wrong', `{ severity: [${name}] }`)], {}, folder)
    expect(checked.code).not.toBe(0)
    expect(checked.out + checked.err).toMatch(new RegExp(`:3: "${name}" is not a severity`))
  })
})
