import { beforeAll, describe, expect, test } from 'vitest'
import { listPage } from '../../src/render/list-page.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { inlineText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import type { RunOptions } from '../../src/report/ask-queries.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { insert } from '../support/tables.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { reportOn, rowsOf } from './company-report.ts'

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

async function handoverOf(
  tables: Readonly<Record<string, readonly object[]>>,
  options: RunOptions = {},
  settings: Settings = defaultSettings,
): Promise<ReportResult> {
  const file = await warehouseFile(async (connection) => {
    for (const [table, rows] of Object.entries(tables)) await insert(connection, table, rows)
    await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }])
  })
  return reportOn(file, 'reports/on-call-handover.md', { timezone: 'UTC', lists: true, ...options, settings })
}

test('a handover report on more than 7 days shows counts instead of a list', async () => {
  const since = (days: number) => {
    const shift = { asOf: new Date((asOf - days * 24 * HOUR) * 1_000), runs: ['1=1'] }
    return handoverOf({ incidents }, { shift, dueAt: asOf * 1_000 })
  }
  const [week, longer] = [await since(6), await since(8)]
  expect(rowsOf(week, 'last_shift').length).toBeGreaterThan(2)
  expect(week.warnings.join()).not.toContain('7 days')
  expect(rowsOf(longer, 'last_shift')).toEqual([])
  expect(saidIn(longer)).toContain('Not listed, because the last handover was more than seven days ago.')
  expect(saidIn(longer)).not.toContain('No other new incident')
  expect(rowsOf(longer, 'shift')[0]).toMatchObject({ incidents: 7n })
  expect(longer.warnings.join()).toContain(
    'more than 7 days ago: incidents since then are counted, not listed.',
  )
})

/** An incident of October that a person resolved. @param hour of the day, UTC */
function handled(index: number, day: number, hour: number, more: object = {}) {
  const start_time = Date.UTC(2026, 9, day, hour, index % 60) / 1_000
  return {
    incident_id: String(index).padStart(24, '0'),
    num: String(index),
    title: `incident ${index}`,
    incident_severity: 'Warning',
    progress: 'Closed',
    start_time,
    ack_time: start_time + 60,
    close_time: start_time + 600,
    closer_id: 7,
    account_time_zone: 'UTC',
    updated_at: asOf,
    ...more,
  }
}

const saidIn = ({ blocks }: ReportResult) =>
  blocks
    .flatMap((block) =>
      block.kind === 'paragraph' || block.kind === 'heading'
        ? [inlineText(block.content)]
        : block.kind === 'table' && block.data.rows.length === 0
          ? [block.empty]
          : [],
    )
    .join('\n')

describe('a handover report without urgent incidents', () => {
  const old = (index: number) =>
    handled(index, 1 + index, 12, {
      ...{ progress: 'Processing', close_time: 0, closer_id: 0, incident_severity: 'Critical' },
    })

  test('reports stale high-severity incidents instead of claiming that nothing needs action', async () => {
    const said = saidIn(await handoverOf({ incidents: [1, 2, 3, 4, 5, 6].map(old) }))
    expect(said).toContain('No new high-severity incidents. Stale ones, listed below: 6.')
    expect(said).toContain('Open for more than a week: 6 (6 Critical). Close or downgrade them.')
    expect(said).not.toMatch(/No high-severity incident needs action|In progress/)
  })

  test('does not mention stale incidents if none exist', async () => {
    const said = saidIn(await handoverOf({ incidents: [handled(1, 20, 12)] }))
    expect(said).toContain('No high-severity incident needs action.')
    expect(said).not.toMatch(/Stale ones|Open for (more|less) than a week/)
  })
})

describe('the load per person in a handover report for a team', () => {
  // Two people share a name and one is unknown. The last incident is in the running week.
  const given = [1, 1, 1, 2, 4, 1]
  const ofTeam = given.map((_, index) => handled(index, index === 5 ? 33 : 6 + index, 12, { channel_id: 1 }))
  const tables = {
    incidents: ofTeam,
    incident_responders: ofTeam.map(({ incident_id, start_time }, index) => ({
      ...{ incident_id, ordinal: 0, person_id: given[index], assigned_at: start_time },
    })),
    members: [1, 2].map((member_id) => ({ member_id, member_name: 'Sam' })),
    channels: [{ channel_id: 1, channel_name: 'alerts', team_id: 1 }],
    teams: [{ team_id: 1, team_name: 'Payments' }],
  }
  let result: ReportResult
  beforeAll(async () => {
    result = await handoverOf(tables, { team: 'Payments' })
  })

  test('is shown by team instead in a report for the company', async () => {
    const company = await handoverOf(tables)
    expect(rowsOf(company, 'own')).toEqual([])
    expect(rowsOf(result, 'load')).toEqual([])
    expect(rowsOf(company, 'load')).toEqual([
      { team: 'Payments', open: 0n, last_shift: 1n, pages: 6n, sleep: 0n },
    ])
  })

  test('distinguishes people with the same name, and shows the id of an unknown person', () => {
    expect(rowsOf(result, 'own').map(({ person, pages }) => [person, pages])).toEqual([
      ['Sam (person 1)', 4n],
      ['Sam (person 2)', 1n],
      ['person 4', 1n],
    ])
  })

  test('marks figures that include the current week, even in lists', () => {
    const listNamed = (label: string) => result.lists!.lists.find((list) => list.label === label)!
    const list = listNamed('One person · Period to date')
    expect(list).toMatchObject({ count: 4, time: 'Since 5\u00a0Oct' })
    const page = listPage(list, result, { name: result.name, csv: false })
    expect(page).toMatch(/<p>Since 5.Oct · /)
    expect(page).not.toContain('1 Nov')
    expect(listNamed('One person · Last shift').time).toBe(null)
  })
})

describe('a handover report', () => {
  let result: ReportResult
  beforeAll(async () => {
    const targets = defaultSettings.targets.map((one) =>
      one.severity === 'Warning' ? { ...one, resolve_target_s: 36 * HOUR } : one,
    )
    const assigned = { person_id: 5, assigned_at: asOf - HOUR }
    const tables = {
      incidents,
      incident_responders: [{ incident_id: incidents[2]!.incident_id, ordinal: 0, ...assigned }],
      members: [{ member_id: 5, member_name: 'Ana' }],
    }
    result = await handoverOf(tables, {}, { ...defaultSettings, targets })
  })

  const rows = (name: string) => rowsOf(result, name)

  test('begins with incidents that need action now, with assignee and next escalation', () => {
    expect(rows('needs').map(({ title, held }) => [title, held])).toEqual([
      ['forgotten', 'Unacknowledged, unassigned. Next: Default escalation, level 2'],
      ['young and nobody', 'Unacknowledged, unassigned. Next: Default escalation, level 2'],
      ['worse, but somebody is on it', 'Acknowledged, unassigned. Next: Default escalation, level 2'],
      ['old for its target', 'Acknowledged. Assigned: Ana. Next: Default escalation, level 2'],
    ])
  })

  test('lists incidents of the last 24 hours that need no action now, if there was no earlier handover', () => {
    expect(rows('shift')[0]).toMatchObject({
      incidents: 3n,
      closed: 1n,
      since: new Date(Date.UTC(2026, 10, 2, 7)),
    })
    expect(rows('last_shift').map(({ title }) => title)).toEqual(['over', 'not serious'])
  })

  test('lists open, Critical and Warning incidents, and names the alerts of other closed ones', async () => {
    const closed = [0, 0, 1, 2, 3, 4].map((kind, index) =>
      handled(index, 33, 8 + index, { incident_severity: 'Info', title: `Alert ${'ABCDE'[kind]} fired` }),
    )
    const warning = handled(9, 33, 20, { title: 'Queue is full' })
    const handover = await handoverOf({ incidents: [...closed, warning] })
    expect(rowsOf(handover, 'last_shift').length).toBe(7)
    expect(rowsOf(handover, 'listed').map(({ title }) => title)).toEqual(['Queue is full'])
    expect(saidIn(handover)).toContain(
      'Closed Info and Ok incidents: 6. Alerts: Alert A fired (2), Alert B fired, Alert C fired and 2 other alerts.',
    )
  })

  test('lists incidents without a title', async () => {
    const untitled = handled(1, 33, 12, { title: '', progress: 'Triggered', close_time: 0, closer_id: 0 })
    const info = handled(2, 33, 13, { title: '', incident_severity: 'Info' })
    const handover = await handoverOf({ incidents: [untitled, info] })
    expect(rowsOf(handover, 'listed').length).toBe(1)
    expect(saidIn(handover)).toContain('Closed Info and Ok incidents: 1. Alerts: (no title).')
  })

  test('reports only the number of stale incidents, with severity and next step', () => {
    const [now] = rows('now')
    expect(now).toMatchObject({ open: 7n, needs: 4n, in_hand: 1n, stale: 1n })
    const said = result.blocks.flatMap((block) =>
      block.kind === 'paragraph' ? [inlineText(block.content)] : [],
    )
    expect(said.join(' ')).toContain(
      'Open for more than a week: 1 (1 Critical). Close or downgrade them. Open for less than a week, from before the last shift: 1.',
    )
  })

  test('shows state and assignee on a phone, and omits empty columns', () => {
    const head = /<h2[^>]*>Needs action now.*?<thead>(.*?)<\/thead>/s.exec(toHtml(result))![1]!
    expect(head).toMatch(/<th class="wrap" scope="col">State and assignee/)
    expect(head).not.toContain('Number')
  })
})
