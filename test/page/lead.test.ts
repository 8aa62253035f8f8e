import { afterAll, beforeAll, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { inlineText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toJson } from '../../src/render/to-json.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { leadOf, linesOf } from './stated-figures.ts'

const at = { timezone: 'UTC' }

let reader: Reader
const hostile = '<b>x</b>\u001b[31m\u202e,"=1'
const plain4 = (place: number, more: object) => ({
  incident_id: String(place).padStart(24, '0'),
  ...{
    num: `N${place}`,
    title: hostile,
    incident_severity: 'Critical',
    progress: 'Triggered',
    channel_id: 1 + (place % 2),
  },
  ...{
    start_time: Date.UTC(2026, 9, 30) / 1000 + place,
    account_time_zone: 'UTC',
    creator_id: 0,
    alert_cnt: 1,
  },
  ...more,
})
beforeAll(async () => {
  const asOf = Date.UTC(2026, 10, 2, 12) / 1000
  const path = await warehouseFile((connection) =>
    inhabit(connection, {
      incidents: [
        plain4(1, {}),
        plain4(2, { incident_severity: 'Warning' }),
        plain4(3, { ever_muted: true }),
      ],
      responders: [
        { incident_id: '1'.padStart(24, '0'), ordinal: 0, person_id: 5, assigned_at: asOf - 9_000 },
      ],
      members: [{ member_id: 5, member_name: `Eve ${hostile}` }],
      channels: [1, 2].map((channel_id) => ({
        channel_id,
        channel_name: `c${channel_id}`,
        team_id: channel_id,
      })),
      teams: [1, 2].map((team_id) => ({ team_id, team_name: ['Two', 'One'][team_id - 1] })),
      runs: [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }],
    }),
  )
  reader = await openReader(path, { settings: defaultSettings })
})
afterAll(() => reader.close())

const body = '```findings\n```\n\nProse.\n'
/** `about_open` puts open incidents first. */
const front = 'title: T\nabout_open: true\nparams: { period: 13 weeks }'

test('the lead of a report covers only the selected teams and severities', async () => {
  const first = async (options: object) =>
    linesOf(await runReport(reportFile(body, front), reader, { ...at, ...options }))[0]
  expect(await first({})).toMatch(
    /^2 high-severity incidents are unacknowledged past their target\. The most urgent is N1 .* \(Critical\), open for 3\u202fd/,
  )
  expect(await first({ team: 'Two' })).toMatch(/^Nobody has acknowledged N2 .* \(Warning\)/)
  expect(await first({ severity: 'Critical' })).toMatch(/^Nobody has acknowledged N1 /)
  expect(await first({ severity: 'Info' })).toBeUndefined()
})

test('the lead of a report escapes names from the service, and explains a missing comparison', async () => {
  const result = await runReport(reportFile(body, front), reader, at)
  const html = toHtml(result)
  expect(html).toMatch(/&lt;b(>|&gt;)x/)
  expect(html).not.toMatch(/<b>x|\u001b|\u202e/)
  expect(toTerminal(result, { width: 80, color: false })).not.toContain('\u001b')
  expect(result.verdict).toContain('Next steps: contact the people who were paged, or reassign the incident')
  const none = await runReport(reportFile(body), reader, { ...at, severity: 'Info' })
  expect(leadOf(none)).toMatchObject({ lines: [], next: [] })
  expect(inlineText(leadOf(none).rest)).toMatch(
    /^No comparison, because data of the previous period is incomplete[:.]/,
  )
})

test('the lead of a report mentions open incidents only for the current period', async () => {
  const now = leadOf(await runReport(reportFile(body), reader, at))
  expect(now.lines).toEqual([])
  expect(inlineText(now.open)).toMatch(
    /^2 high-severity incidents are unacknowledged past their target\. The most urgent is N1 /,
  )
  const past = await runReport(reportFile(body), reader, { ...at, period: '2026-09' })
  expect(past.verdict).not.toMatch(/acknowledged/)
  expect(past.findings!.rows).toEqual([])
})

test('the lead of a report covers only the topics of the `findings` block', async () => {
  const only = await runReport(
    reportFile('```findings\nabout: [targets]\nrest: all of it\n```\n'),
    reader,
    at,
  )
  expect(linesOf(only).join()).not.toContain('Nobody')
  expect(only.verdict).toMatch(/all of it/i)
  const without = await runReport(
    reportFile('Just {{ a.n | number }}.\n\n```sql a\nselect 1 as n\n```\n'),
    reader,
    at,
  )
  expect(without.findings).toBeNull()
  expect(without.verdict).toBe('Just 1.')
  expect(JSON.parse(toJson(without)).findings).toBeNull()
})

test('the lead of a report links to the first table about the finding', async () => {
  const file = reportFile(
    `${body}\n\`\`\`sql a\nselect num from scoped_open\n\`\`\`\n\n${['First', 'Second']
      .map((title) => `\`\`\`table\ntitle: ${title}\nfinding: open\ndata: a\n\`\`\`\n`)
      .join('\n')}`,
    front,
  )
  const result = await runReport(file, reader, at)
  const tables = result.blocks.filter((block) => block.kind === 'table')
  expect(tables.map(({ title, section }) => [inlineText(title), section])).toEqual([
    [expect.stringContaining('unacknowledged'), 'open'],
    ['Second', undefined],
  ])
  expect(toHtml(result)).toMatch(/href="#open"[\s\S]* id="open"/)
})

test('a table can be about several topics', async () => {
  const table = (title: string, finding: string) =>
    `\`\`\`table\ntitle: ${title}\nfinding: ${finding}\ndata: a\n\`\`\`\n`
  const file = reportFile(
    `${body}\`\`\`sql a\nselect num from scoped_open\n\`\`\`\n\n${table('First', '[hours, open]')}${table('Second', '[open, counts]')}`,
    front,
  )
  const result = await runReport(file, reader, at)
  const tables = result.blocks.filter((block) => block.kind === 'table')
  expect(tables.map(({ title, section }) => [inlineText(title), section])).toEqual([
    [expect.stringContaining('unacknowledged'), 'hours'],
    ['Second', 'counts'],
  ])
  expect(toHtml(result)).toMatch(/href="#hours"[\s\S]* id="hours"/)
})

test('a report with an unknown topic or a query named `findings` is rejected', async () => {
  await expect(runReport(reportFile('```findings\nabout: [weather]\n```\n'), reader, at)).rejects.toThrow(
    /about/,
  )
  const table = '```sql a\nselect 1 as n\n```\n\n```table\ndata: a\nfinding: weather\n```\n'
  await expect(runReport(reportFile(table), reader, at)).rejects.toThrow(/finding/)
  await expect(runReport(reportFile('```sql findings\nselect 1 as n\n```\n'), reader, at)).rejects.toThrow(
    /already used or reserved/,
  )
})
