import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { viewFiles } from '../../src/definitions/views.ts'
import { inhabit } from '../support/world.ts'
import { defined } from './defined.ts'
import { base, busyWorld, world } from './generated-world.ts'
import { groupsOf } from './reference-groups.ts'
import { metricsIn } from './reference-macros.ts'
import { reference } from './reference-metrics.ts'
import { responderPages } from './reference-pages.ts'
import { isMerged, referenceTimes } from './reference-times.ts'
import { differences } from './same-rows.ts'

const { connection, rows } = defined()
const DAY = 86_400
const runs = { numRuns: inject('isFast') ? 4 : 10, seed: 498 }
const patience = 180_000

/**
 * Relations tested in other files, parts of relations (such as `targets_attained` of `target_attainment`), and empty
 * relations that only declare the columns of a parameter.
 */
const elsewhere =
  `working_spans working_seconds working_due no_spans automation monitor_figures incident_automation
  incident_measures measure_spans automation_members person_assignments survival_summary duration_changes
  duration_figures mix_change no_observations no_medians no_durations no_counts no_pages
  own_incidents findings tested_candidates giving_way explained_wholes counts_on_cards widespread_shifts
  teams_behind no_outcomes duration_scores week_steps event_times event_counts event_verdicts event_changes
  no_event_times no_event_counts no_event_weeks no_event_changes incident_facets incident_people unread_within
  channel_owners never_acknowledging targets_attained no_targets count_candidates no_candidates no_tested
  no_subject_counts no_weeks team_pages`.split(/\s+/)

const SECOND =
  'has no second computation. Write one in TypeScript, from the rows and not from the SQL, beside its like in ' +
  'test/sql/reference-*.ts (as selfHeal in reference-volume.ts), and name it: a view in `reference` of reference-metrics.ts, ' +
  'what has parameters in reference-macros.ts'

describe('the SQL views and metrics match an independent computation', { timeout: patience }, () => {
  test('for every relation without a separate test file', () => {
    const relations = Object.keys({ ...reference, ...metricsIn(0, 1, 'UTC') })
    const computed = new Set(relations.map((relation) => relation.replace(/\(.*/, '')))
    const made = viewFiles().filter(({ kind, name }) => kind !== 'macro' && !elsewhere.includes(name))
    const names = new Set(made.map(({ name }) => name))
    expect([
      ...made.filter(({ name }) => !computed.has(name)).map(({ file, name }) => `${file}: ${name} ${SECOND}`),
      ...[...computed]
        .filter((name) => !names.has(name))
        .map((name) => `${name} is computed, but not in sql/`),
    ]).toEqual([])
  })

  test('in generated warehouses', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (content) => {
        await inhabit(connection(), content)
        for (const [relation, compute] of Object.entries(reference)) {
          const found = await rows(`from ${relation}`)
          expect(differences(found, compute(content)), relation).toEqual([])
        }
      }),
      runs,
    )
  })

  test('for every macro with a period and a time zone', async () => {
    const calls = Object.entries(metricsIn(base + 9 * DAY, base + 40 * DAY, 'Europe/Berlin'))
    const sample = { numRuns: 1, seed: 29 }
    const quiet = inject('isFast') ? [] : fc.sample(world, sample)
    for (const content of [...quiet, ...fc.sample(busyWorld, sample)]) {
      await inhabit(connection(), content)
      for (const [call, compute] of calls) {
        const found = await rows(`from ${call.replace(/(, )?\{of\}/, '')}`)
        expect(differences(found, compute(content)), call).toEqual([])
      }
    }
  })

  test('for person_load with a custom relation of pages', async () => {
    const period = `period_from := to_timestamp(${base + 9 * DAY}), period_to := to_timestamp(${base + 40 * DAY})`
    for (const content of fc.sample(world, { numRuns: 2, seed: 30 })) {
      await inhabit(connection(), content)
      const load = (more: string) => rows(`${more} order by all`)
      expect(
        await load(
          `with given as (from page_starts(${period})) from person_load(${period}, of_pages := 'given')`,
        ),
      ).toEqual(await load(`from person_load(${period})`))
    }
  })

  test('for survival_summary, which is derived from the survival curve', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (content) => {
        await inhabit(connection(), content)
        const curve = reference['survival_curve()']!(content) as {
          t_s: number
          survival: number
          at_risk: number
          survival_low: number | null
          survival_high: number | null
        }[]
        const ends = curve.at(-1)
        const at = (seconds: number) =>
          ends && (ends.t_s >= seconds || ends.survival < 1e-9)
            ? expect.closeTo(curve.findLast(({ t_s }) => t_s <= seconds)?.survival ?? 1, 9)
            : null
        expect(await rows('from survival_summary()')).toMatchObject([
          {
            n: curve[0]?.at_risk ?? 0,
            median_s: curve.find(({ survival }) => survival < 0.5 + 1e-9)?.t_s ?? null,
            median_low_s: curve.find(({ survival_low }) => (survival_low ?? 1) <= 0.5)?.t_s ?? null,
            median_high_s: curve.find(({ survival_high }) => (survival_high ?? 1) <= 0.5)?.t_s ?? null,
            survival_1h: at(3600),
            survival_24h: at(86_400),
          },
        ])
      }),
      runs,
    )
  })

  test('in warehouses that together include every state and defect', () => {
    const seen = new Set<unknown>()
    for (const content of fc.sample(world, { ...runs, numRuns: 40 })) {
      if (content.incidents.length === 0) seen.add('empty')
      if (content.incidents.some(isMerged)) seen.add('merged away')
      for (const { times, row } of referenceTimes(content)) {
        seen.add(times.close_state).add(times.close_type).add(times.team_name)
        if (times.is_conflict) seen.add(row.progress === 'Closed' ? 'closed without time' : 'reopened')
        for (const flag of ['is_muted', 'is_negative_ack', 'is_negative_close', 'is_negative_recover']) {
          if (times[flag]) seen.add(flag)
        }
      }
    }
    expect([...seen].sort()).toEqual(
      [
        ...['both', 'recovered_not_closed', 'closed_while_firing', 'open'],
        ...['manual', 'auto_recovered', 'auto_timeout', 'merged away', null],
        ...['Money', '(no channel)', '(unknown)', 'empty', 'closed without time', 'reopened'],
        ...['is_muted', 'is_negative_ack', 'is_negative_close', 'is_negative_recover'],
      ].sort(),
    )
  })
})

test(
  'the people of team_pages include members who were not paged',
  async () => {
    const seen = new Set<unknown>()
    for (const content of fc.sample(busyWorld, { numRuns: 4, seed: 31 })) {
      const crews = [7, 10, 11].map((person_id, ordinal) => ({ team_id: 11, ordinal, person_id }))
      await inhabit(connection(), { ...content, crews })
      const teams = groupsOf(responderPages(content), ({ team_name }) => team_name)
      const expected = [...teams].map(([team_name, pages]) => {
        const paged = pages.map(({ person_id }) => person_id)
        const people = new Set([...paged, ...(team_name === 'Money' ? [7, 10, 11] : [])]).size
        const night_pages = pages.filter(({ band }) => band === 'sleep').length
        const night_pages_each = expect.closeTo(night_pages / people, 1)
        return { team_name, pages: pages.length, night_pages, people, night_pages_each }
      })
      const found = await rows(`with given as (from page_starts()) from team_pages(of_pages := 'given')`)
      expect(found).toHaveLength(expected.length)
      expect(found).toEqual(expect.arrayContaining(expected))
      for (const { team_name } of expected) seen.add(team_name)
    }
    expect([...seen]).toEqual(expect.arrayContaining(['Money', '(unknown)']))
  },
  patience,
)
