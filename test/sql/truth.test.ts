import type { DuckDBConnection } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { applyViews } from '../../src/definitions/views.ts'
import { createTables, rowsOf } from '../support/tables.ts'
import { inhabit } from '../support/world.ts'
import { closedCohort, metricsIn } from './reference-macros.ts'
import { reference } from './reference-metrics.ts'
import { differences } from './same-rows.ts'
import { NOW, type Served, servedWorld, withStranger } from './served-world.ts'

const DAY = 86_400
const mine = 'with mine as (from incident_times where account_id = 1)'

describe.each([
  { seed: 1, incidents: 150 },
  { seed: 28, incidents: 600 },
  { seed: 498, incidents: 2000 },
])(
  'figures of the world $seed, of $incidents incidents, beside a stranger with the same ids',
  { timeout: 300_000 },
  (options) => {
    let connection: DuckDBConnection
    let served: Served
    beforeAll(async () => {
      connection = await createTables()
      await applyViews(connection)
      served = await servedWorld(options)
      await inhabit(connection, withStranger(served.raw))
    })

    test.each(Object.keys(reference).filter((name) => !name.includes('(')))('%s', async (name) => {
      const rows = await rowsOf(connection, `from ${name} where account_id = 1`)
      expect(differences(rows, reference[name]!(served.filled))).toEqual([])
    })

    // The period includes the end of summer time in New York, on 1 November.
    const [from, to] = [NOW - 60 * DAY, NOW - 10 * DAY]
    test.each(Object.entries(metricsIn(from, to, 'America/New_York')))('%s', async (call, compute) => {
      const source = call.includes('{of}')
        ? `${mine} from ${call.replace('{of}', `of_incidents := 'mine'`)}`
        : `from ${call} where account_id = 1`
      const rows = await rowsOf(connection, source)
      expect(differences(rows, compute(served.filled))).toEqual([])
    })

    test('time_measures of the closed cohort', async () => {
      const rows = await rowsOf(
        connection,
        `with closed as (
        from incident_times
        where account_id = 1 and is_within(closed_at, to_timestamp(${from}), to_timestamp(${to}))
      ) from time_measures(of_incidents := 'closed')`,
      )
      expect(differences(rows, closedCohort(served.filled, from, to))).toEqual([])
    })
  },
)
