import type { DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { applyViews, viewFiles } from '../../src/warehouse/views.ts'
import { reckoned } from './reckoned-metrics.ts'
import { reckonTimes } from './reckoned-times.ts'
import { createTables, rowsOf } from './tables.ts'
import { inhabit, world } from './world.ts'

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await createTables()
  await applyViews(connection)
})
const runs = { numRuns: 40, seed: 498 }

describe('the views say what a second, independent computation says', () => {
  test('of every relation with rows, but the summary of the survival curve', () => {
    const covered = Object.keys(reckoned).map((relation) => relation.replace(/\(.*/, ''))
    const made = viewFiles().filter(({ kind, name }) => kind !== 'macro' && name !== 'survival_summary')
    expect([...new Set(covered)].sort()).toEqual(made.map(({ name }) => name).sort())
  })

  test('in generated warehouses', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (content) => {
        await inhabit(connection, content)
        for (const [relation, reckon] of Object.entries(reckoned)) {
          expectSameRows(relation, await rowsOf(connection, `from ${relation}`), reckon(content))
        }
      }),
      runs,
    )
  })

  test('and the survival summary reads its curve', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (content) => {
        await inhabit(connection, content)
        const curve = reckoned['survival_curve()']!(content) as {
          t_s: number
          survival: number
          at_risk: number
        }[]
        const ends = curve.at(-1)
        const at = (seconds: number) =>
          ends && (ends.t_s >= seconds || ends.survival < 1e-9)
            ? expect.closeTo(curve.findLast(({ t_s }) => t_s <= seconds)?.survival ?? 1, 9)
            : null
        expect(await rowsOf(connection, 'from survival_summary()')).toMatchObject([
          {
            n: curve[0]?.at_risk ?? 0,
            median_s: curve.find(({ survival }) => survival < 0.5 + 1e-9)?.t_s ?? null,
            survival_1h: at(3600),
            survival_24h: at(86_400),
          },
        ])
      }),
      runs,
    )
  })

  test('the generated warehouses hold every state and defect', () => {
    const seen = new Set<unknown>()
    for (const content of fc.sample(world, runs)) {
      if (content.incidents.length === 0) seen.add('empty')
      for (const { times, row } of reckonTimes(content)) {
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
        ...['manual', 'auto_recovered', 'auto_timeout', 'merged_away', null],
        ...['Money', '(no channel)', '(unknown)', 'empty', 'closed without time', 'reopened'],
        ...['is_muted', 'is_negative_ack', 'is_negative_close', 'is_negative_recover'],
      ].sort(),
    )
  })
})

/** The same rows in any order, by the columns that were reckoned; numbers to nine digits behind the point. */
function expectSameRows(
  relation: string,
  actual: Record<string, unknown>[],
  wanted: Record<string, unknown>[],
) {
  const columns = Object.keys(wanted[0] ?? {})
  const keys = columns.filter(
    (column) => !/share|_s$|mean|coverage|survival$/.test(column) || column === 't_s',
  )
  const order = (row: Record<string, unknown>) => JSON.stringify(keys.map((column) => row[column]))
  const sorted = (rows: Record<string, unknown>[]) => rows.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
  const chosen = actual.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])))
  const near = (value: unknown) => (typeof value === 'number' ? expect.closeTo(value, 6) : value)
  const expected = sorted(wanted).map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, near(value)])),
  )
  expect(sorted(chosen), relation).toEqual(expected)
}
