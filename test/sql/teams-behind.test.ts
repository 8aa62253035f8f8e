import { expect, test } from 'vitest'
import { applyViews } from '../../src/definitions/views.ts'
import { createTables, rowsOf } from '../support/tables.ts'

/** Incidents of a team and a severity in one week, of which `met` met their target. */
type Outcome = readonly [severity: string, team: string, week: number, n: number, met: number]

async function behind(outcomes: readonly Outcome[]) {
  const connection = await createTables()
  await applyViews(connection)
  const rows = outcomes.map(
    ([severity, team, week, n, met]) =>
      `('current', 'acknowledge', '${severity}', '${team}', ${week}, ${n}, ${met})`,
  )
  return rowsOf(
    connection,
    `with mine (series, measure, incident_severity, team_name, place, n, met) as (values ${rows.join()})
    select team_name, share, others_share, behind, p from teams_behind(of_outcomes := 'mine') order by team_name`,
  )
}

/** Weeks in which A meets 8 of 10 targets of each severity and B none, and both meet all others. */
const weeks = Array.from({ length: 8 }, (_, week): Outcome[] => [
  ['Critical', 'A', week, 10, 7 + (week % 3)],
  ['Critical', 'B', week, 10, week % 2],
  ['Info', 'A', week, 10, 10],
  ['Info', 'B', week, 10, 10],
]).flat()

test('the expected share of a team is the share of all teams at the same severities', async () => {
  const found = await behind(weeks)
  const met = weeks
    .filter(([severity]) => severity === 'Critical')
    .map(([, team, , , hits]) => ({ team, hits }))
  const sum = (team: string) =>
    met.filter((one) => one.team === team).reduce((all, { hits }) => all + hits, 0)
  const expected = (sum('A') + sum('B')) / 2
  for (const { team_name: team, behind: difference, share, others_share: others } of found) {
    expect(difference).toBeCloseTo((sum(String(team)) - expected) / 160, 12)
    expect(share).toBeCloseTo((sum(String(team)) + 80) / 160, 12)
    expect(others).toBeCloseTo((sum(team === 'A' ? 'B' : 'A') + 80) / 160, 12)
  }
  expect(found.map(({ team_name: team }) => team)).toEqual(['A', 'B'])
  expect(Number(found[1]!.p)).toBeLessThan(1e-5)
})

test('a severity with a single incident does not change the p value of a team', async () => {
  const [, alone] = await behind(weeks)
  const [, beside] = await behind([...weeks, ['Warning', 'A', 3, 1, 1]])
  expect(Number(beside!.p)).toBeCloseTo(Number(alone!.p), 12)
  // All shares are 100%, so there is no difference and nothing to test.
  expect(
    await behind([
      ['Critical', 'A', 1, 20, 20],
      ['Critical', 'B', 1, 20, 20],
    ]),
  ).toEqual([])
})
