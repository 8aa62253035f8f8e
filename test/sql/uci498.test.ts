import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DuckDBConnection } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { applyViews } from '../../src/definitions/views.ts'
import { handledUci498, type Quantiles } from '../support/handled-uci498.ts'
import { createTables, fill, rowsOf } from '../support/tables.ts'

const folder = fileURLToPath(new URL('../../../shared/data/uci498/', import.meta.url))
const present = existsSync(folder)
if (!present)
  console.warn(`Skipped: the 24,918 real incidents are not in ${folder}, so no figure is checked on them.`)

interface Expected {
  incidents: number
  acknowledged: number
  negative_ack: number
  time_to_ack_s: Quantiles
  time_to_close_s: Quantiles
  time_to_recover_s: Quantiles
  closed_never_recovered: number
}

describe.skipIf(!present)('figures for 24,918 real incidents match an independent program', () => {
  let connection: DuckDBConnection
  const file = (name: string) => `read_ndjson_objects('${folder.replaceAll("'", "''")}${name}.ndjson.gz')`
  const handled = present ? handledUci498(folder) : new Map()
  const expected: { all: Expected; by_severity: Record<string, Expected>; responder_rows: number } = present
    ? JSON.parse(readFileSync(`${folder}expected.json`, 'utf8'))
    : { by_severity: {} }

  beforeAll(async () => {
    connection = await createTables()
    for (const table of ['incidents', 'channels', 'teams', 'members']) {
      await fill(connection, table, file(table))
    }
    await fill(
      connection,
      'incident_responders',
      `(select json_merge_patch(responder, json_object('incident_id', incident_id)) as json from (
        select json ->> 'incident_id' as incident_id, unnest(from_json(json -> 'responders', '["json"]')) as responder
        from ${file('incidents')}))`,
    )
    await applyViews(connection)
  }, 300_000)

  const severities = ['(all)', ...Object.keys(expected.by_severity)]

  test('for four severities and their total', () => {
    expect(severities).toEqual(['(all)', 'Critical', 'Info', 'Ok', 'Warning'])
  })

  test.each(severities)('for the severity %s', async (severity) => {
    const wanted = severity === '(all)' ? expected.all : expected.by_severity[severity]!
    const [counts] = await rowsOf(
      connection,
      `select count(*) as incidents, count(*) filter (is_acknowledged) as acknowledged,
        count(*) filter (is_negative_ack) as negative_ack,
        count(*) filter (close_state = 'closed_while_firing') as closed_never_recovered
      from incident_times where '${severity}' in ('(all)', incident_severity)`,
    )
    const { time_to_ack_s, time_to_close_s, time_to_recover_s, ...wantedCounts } = wanted
    expect(counts).toEqual(wantedCounts)
    const times = await rowsOf(
      connection,
      `from time_measures() where incident_severity = '${severity}' and team_name = '(all)'`,
    )
    for (const [measure, quantiles] of Object.entries({
      time_to_ack: time_to_ack_s,
      time_to_close: time_to_close_s,
      time_to_close_handled: handled.get(severity)!,
      time_to_recover: time_to_recover_s,
    })) {
      const { n, mean_s, median_s, p90_s, max_s } = times.find((row) => row.measure === measure)!
      expect({ n, mean: mean_s, median: median_s, p90: p90_s, max: max_s }, measure).toEqual(near(quantiles))
    }
  })

  test('for totals by day, channel and label', async () => {
    const [sums] = await rowsOf(
      connection,
      `select (select count(*) from incident_responders) as responder_rows,
        (select sum(assignments) from pages_within()) as assignments,
        (select sum(incidents) from incident_counts(bucket := 'day') where incident_severity = '(all)') as daily,
        (select sum(incidents) from noisy_sources() where source_kind = 'channel') as channels,
        (select count(*) from noisy_sources() where cumulative_share > 1 + 1e-9) as beyond_all,
        (select closed from learning() where incident_severity = '(all)' and team_name = '(all)') as closed,
        (select count(distinct incident_id) from incident_labels where label = 'number') as labelled,
        (select affected from data_quality where check_name = 'negative_ack') as negative_ack,
        (select closed from survival_summary()) as survived`,
    )
    expect(sums).toEqual({
      responder_rows: expected.responder_rows,
      assignments: expected.responder_rows,
      daily: expected.all.incidents,
      channels: expected.all.incidents,
      beyond_all: 0,
      closed: expected.all.incidents,
      labelled: expected.all.incidents,
      negative_ack: expected.all.negative_ack,
      survived: handled.get('(all)')!.n,
    })
  })

  test('for the survival curve, which censors incidents that a timer closed', async () => {
    const [summary] = await rowsOf(connection, 'from survival_summary()')
    const { n, median } = handled.get('(all)')!
    expect(summary).toMatchObject({ censored: expected.all.incidents - n })
    expect(Math.abs((summary!.median_s as number) / median - 1)).toBeLessThan(0.001)
  })
})

/** Matches within 1e-6 (10 ** -5.7 / 2), because the figures have six decimals. */
const near = (figures: Quantiles) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, expect.closeTo(value, 5.7)]))
