import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Parser } from '../../src/definitions/parse-tree.ts'
import { basesOf } from '../../src/judge/figure-dependencies.ts'
import { type Restated, reasonsOf } from '../../src/judge/restatement-reasons.ts'

let parser: Parser
beforeAll(async () => {
  parser = await (await DuckDBInstance.create()).connect()
})

async function basisOf(sql: string, column: string) {
  const queries = [{ name: 's', sql, at: { file: 'r.md', line: 1 } }]
  const [basis] = await basesOf(parser, [{ query: 's', column }], queries)
  return basis!
}

const of = (severity: string): Restated => ({
  ...{ reason: `of ${severity}`, facts: ['ttr'], incidents: 1, examples: [] },
  ...{ severityBefore: severity, severity },
})

test.each([
  ['in one line', "where period = 'current' and incident_severity = 'Critical' order by 1"],
  ['over several lines', "where period = 'current'\n  and incident_severity = 'Critical'\norder by 1"],
  ['with the operands swapped', "where 'Critical' = incident_severity"],
  ['beside a comment', "where incident_severity -- not = 'Info'\n = 'Critical'"],
  [
    'before another clause',
    "where incident_severity = 'Critical'\nunion all\nselect 1 from scoped_kept where severity <> 'Info'",
  ],
])('the severity filter of a figure is found %s', async (_, rest) => {
  const basis = await basisOf(`select median(ttr) as ttr\nfrom scoped_incidents ${rest}`, 'ttr')
  const reasons = reasonsOf(basis, [of('Critical'), of('Info')])
  expect(reasons.map(({ reason }) => reason)).toEqual(['of Critical'])
})

describe('the dependencies of a figure', () => {
  test.each([
    [
      'only the aggregated column',
      'select median(tta) as own, median(ttr) as other from scoped_incidents',
      ['tta'],
    ],
    ['the column behind an alias without `as`', 'select median(tta) own from scoped_incidents', ['tta']],
    ['the column behind a qualified name', 'select sum(s.ttr_all) as own from scoped_incidents s', ['ttr']],
    [
      'empty for names in a string',
      "select count(*) filter (title like '% tta as own%') as own from scoped_incidents",
      [],
    ],
    [
      'the dependencies of a subquery',
      "select (select share from target_attainment(of_incidents := 'mine') where measure = 'resolve') as own",
      ['resolve_target'],
    ],
    [
      'open incidents, for a test of the close time',
      'select count(*) filter (closed_at is null) as own from s',
      ['ttr', 'open'],
    ],
    [
      'open incidents, for a test of the progress',
      "select count(*) filter (progress <> 'Closed') as own from s",
      ['open'],
    ],
    ['muted incidents, for a count of them', 'select count(*) filter (ever_muted) as own from s', ['muted']],
    ['teams, for a count of teams', 'select count(distinct team_name) as own from s', ['team']],
    ['pages, for a count of pages', 'select count(*) as own from scoped_pages', ['pages']],
    [
      'the severity, for a share by severity',
      "select count(*) filter (severity = 'Info') / count(*) as own from s",
      ['severity'],
    ],
  ])('are %s', async (_, sql, facts) => {
    expect([...(await basisOf(sql, 'own')).facts!]).toEqual(facts)
  })

  test('are unknown for a custom measure', async () => {
    const sql = `select count(*) filter (muted and measures['fix'] > 60) as own from s`
    expect((await basisOf(sql, 'own')).facts).toBeNull()
  })

  test.each(['is_handled_by_people', "close_type = 'x'"])(
    'include open incidents for a count by %s',
    async (limit) => {
      const { facts } = await basisOf(`select count(*) filter (${limit}) as own from s`, 'own')
      expect(facts).toContain('open')
    },
  )

  test.each(['survival_s', 'age_s', 'epoch(start_time)', 'closer_id', 'channel_id'])(
    'are unknown for %s, because untracked facts can change the figure',
    async (column) => {
      expect((await basisOf(`select median(${column}) as own from s`, 'own')).facts).toBeNull()
    },
  )

  test('are unknown if another query defines the column', async () => {
    expect(await basisOf('from summary', 'own')).toEqual({ facts: null, severities: null })
    expect(await basisOf('select own from summary', 'own')).toEqual({ facts: null, severities: null })
  })
})
