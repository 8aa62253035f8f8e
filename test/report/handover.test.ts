import { beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { runReport } from '../../src/report/run.ts'
import { openReader } from '../../src/warehouse/read/reader.ts'
import { insert } from '../support/tables.ts'
import { warehouseFile } from '../support/warehouse.ts'

/** Issue 16: what a handover needs to say stands in three groups, and each open incident in one of them. */
const HOUR = 3_600
const asOf = Date.UTC(2026, 10, 3, 7) / 1_000
const open = { progress: 'Triggered' }
const closed = (start_time: number) => ({ progress: 'Closed', close_time: start_time + 60, closer_id: 7 })
const incidents = [
  { title: 'young and nobody', incident_severity: 'Warning', hours: 2, ...open },
  { title: 'worse, but somebody is on it', incident_severity: 'Critical', hours: 60, ack: 5, ...open },
  { title: 'old for its target', incident_severity: 'Warning', hours: 40, ack: 5, ...open },
  { title: 'in hand', incident_severity: 'Warning', hours: 30, ack: 5, ...open },
  { title: 'not serious', incident_severity: 'Info', hours: 3, ...open },
  { title: 'forgotten', incident_severity: 'Critical', hours: 8 * 24, ...open },
  { title: 'left lying', incident_severity: 'Critical', hours: 9 * 24, ack: 5, ...open },
  { title: 'over', incident_severity: 'Warning', hours: 20, ...closed(asOf - 20 * HOUR) },
  { title: 'before the shift', incident_severity: 'Warning', hours: 26, ...closed(asOf - 26 * HOUR) },
].map(({ hours, ack, ...one }: { hours: number; ack?: number; [more: string]: unknown }, index) => ({
  ...one,
  incident_id: String(index).padStart(24, '0'),
  num: '',
  start_time: asOf - hours * HOUR,
  ack_time: ack === undefined ? 0 : asOf - hours * HOUR + ack * 60,
  assigned_to: { escalate_rule_name: 'Default escalation', layer_idx: 0 },
  account_time_zone: 'UTC',
  updated_at: asOf,
}))

describe('a handover', () => {
  let result: ReportResult
  beforeAll(async () => {
    const file = await warehouseFile(async (connection) => {
      await insert(connection, 'incidents', incidents)
      await insert(connection, 'incident_responders', [
        { incident_id: incidents[2]!.incident_id, ordinal: 0, person_id: 5, assigned_at: asOf - HOUR },
      ])
      await insert(connection, 'members', [{ member_id: 5, member_name: 'Ana' }])
      await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }])
    })
    const settings = {
      ...defaultSettings,
      targets: defaultSettings.targets.map((one) =>
        one.severity === 'Warning' ? { ...one, resolve_target_s: 36 * HOUR } : one,
      ),
    }
    const reader = await openReader(file, { settings })
    result = await runReport('reports/on-call-handover.md', reader, { timezone: 'UTC' })
    reader.close()
  })

  const rows = (name: string) => {
    const query = result.queries.find((each) => each.name === name)!
    return query.rows.map((row) =>
      Object.fromEntries(query.columns.map((column, index) => [column.name, row[index]])),
    )
  }

  test('says first what needs somebody now, with state, holder and who is called next', () => {
    expect(rows('needs').map(({ title, held, next }) => [title, held, next])).toEqual([
      ['forgotten', 'Not acknowledged, held by nobody', 'Default escalation, level 2'],
      ['young and nobody', 'Not acknowledged, held by nobody', 'Default escalation, level 2'],
      ['worse, but somebody is on it', 'Acknowledged, held by nobody', 'Default escalation, level 2'],
      ['old for its target', 'Acknowledged, Ana', 'Default escalation, level 2'],
    ])
  })

  test('then what began since the last shift, by the schedule of the report, without those', () => {
    expect(rows('shift')[0]).toMatchObject({
      incidents: 3n,
      closed: 1n,
      since: new Date(Date.UTC(2026, 10, 2, 8)),
    })
    expect(rows('last_shift').map(({ title }) => title)).toEqual(['not serious', 'over'])
  })

  test('and of the stale only how many, what they are, and what to do', () => {
    const [now] = rows('now')
    expect(now).toMatchObject({ open: 7n, needs: 4n, in_hand: 2n, stale: 1n })
    const said = result.blocks.flatMap((block) =>
      block.kind === 'paragraph' ? [inlineText(block.content)] : [],
    )
    expect(said.join(' ')).toContain(
      '1 more open for longer than a week (1 of them Critical): close or downgrade. In hand, younger than a week: 2.',
    )
  })

  test('keeps state and holder on a phone, and leaves a column out that says nothing', () => {
    const head = /<h2[^>]*>Needs you now.*?<thead>(.*?)<\/thead>/s.exec(toHtml(result))![1]!
    expect(head).toMatch(/<th class="wrap" scope="col">State, holder/)
    expect(head).toMatch(/<th class="wrap later" scope="col">Next on call/)
    expect(head).not.toContain('Number')
  })
})
