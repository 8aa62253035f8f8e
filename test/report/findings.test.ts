import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { format, plain } from '../../src/render/format.ts'
import type { FindingsBlock, ReportResult, Value } from '../../src/render/result.ts'
import { summaryOf, words } from '../../src/render/summary.ts'
import { inlineText, leadParagraphs } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toJson } from '../../src/render/to-json.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { listReports } from '../../src/report/list.ts'
import { runReport } from '../../src/report/run.ts'
import { writeReport } from '../../src/report/write.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { reportFile, scratch, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { findingWorld, type Plant, plants } from './finding-worlds.ts'

const REVIEW = 'reliability-review'
const every = listReports('reports').map(({ name }) => name)
const at = { timezone: 'UTC' }

const readerOf = async (plant: Plant, seed: number) =>
  openReader(await warehouseFile((connection) => inhabit(connection, findingWorld(plant, seed).content)), {
    settings: defaultSettings,
  })

const leadOf = ({ blocks }: ReportResult): FindingsBlock => blocks.find((block) => block.kind === 'findings')!
const linesOf = (result: ReportResult) => leadOf(result).lines.map(({ text }) => inlineText(text))

/** One that has a finding, and one that has none; the others slowly. */
const shown = inject('isFast') ? plants.filter((_, place) => place % 4 === 0) : plants

describe.each(shown)('of a company with %s', (plant) => {
  // One seed, the review and another report in the suite; in the large mode more seeds and all reports.
  const names = inject('isLarge') ? every : [...new Set([REVIEW, every[plants.indexOf(plant)]!])]
  const seeds = inject('isLarge') ? Array.from({ length: 10 }, (_, place) => place + 11) : [4]
  const { named } = findingWorld(plant, seeds[0]!)
  let reader: Reader
  const results = new Map<string, ReportResult>()
  beforeAll(async () => {
    reader = await readerOf(plant, seeds[0]!)
    for (const name of names) results.set(name, await runReport(`reports/${name}.md`, reader, at))
  }, 120_000)
  afterAll(() => reader?.close())

  test('the review names it first, or nothing', async () => {
    const lines = linesOf(results.get(REVIEW)!)
    if (named === null) expect(lines).toEqual([])
    else expect(lines[0]).toMatch(named)
    let right = 1
    for (const seed of seeds.slice(1)) {
      const other = await readerOf(plant, seed)
      const [first] = linesOf(await runReport(`reports/${REVIEW}.md`, other, at))
      const wanted = findingWorld(plant, seed).named
      if (wanted === null ? first === undefined : wanted.test(first ?? '')) right++
      other.close()
    }
    expect(right / seeds.length).toBeGreaterThanOrEqual(0.9)
  }, 600_000)

  test.each(names)('%s says it alike on the page, in the terminal, in mail and for programs', (name) => {
    const result = results.get(name)!
    const lead = leadOf(result)
    const said = leadParagraphs(lead).map((each) => words(inlineText(each)))
    expect(words(result.verdict)).toBe(said.join(' '))
    const flat = (text: string) => words(text.replace(/<[^>]+>/g, '')).replace(/\s+/g, ' ')
    const mail = toMail(result, null)
    const page = flat(toHtml(result)).replaceAll('↓', '')
    const terminal = flat(toTerminal(result, { width: 80, color: false }))
    for (const each of [...linesOf(result), ...said.slice(1)].map(flat)) {
      expect(page).toContain(each)
      expect(terminal).toContain(each)
      expect(flat(mail.html)).toContain(each)
    }
    const { findings } = JSON.parse(toJson(result))
    const listed = findings.filter((one: { gives_way: boolean }) => !one.gives_way).slice(0, 3)
    expect(listed.map(({ sentence }: { sentence: string }) => sentence)).toEqual(linesOf(result))
    const summary = summaryOf(result)
    expect(summary.verdict).toBe(said.join(' '))
    expect(summary.findings.slice(0, lead.lines.length)).toEqual(linesOf(result).map(words))
    expect(summary.next).toBe(words(inlineText(lead.next)))
    if (lead.lines.length === 0) expect(lead.next).toEqual([])
  })

  test.each(names)('%s never says less than a red card', (name) => {
    const result = results.get(name)!
    const said = result.verdict
    for (const { label, change, target } of result.kpis) {
      if (change?.tone === 'worse') expect(said).toContain(`${label}`)
      if (target && !target.met && !target.isNoise) expect(said).toContain(`${label}`)
    }
  })

  test.each(names)(
    'every number in the lead, the headlines and what to do of %s stands in the files beside it',
    (name) => {
      const result = results.get(name)!
      const folder = scratch()
      writeReport(result, folder, ['csv'])
      const rows = csvOf(readFileSync(join(folder, name, 'findings.csv'), 'utf8'))
      const verdicts = csvOf(readFileSync(join(folder, name, 'verdicts.csv'), 'utf8'))
      const lead = leadOf(result)
      const headlines = result.blocks.flatMap((block) => {
        const text = block.kind === 'chart' || block.kind === 'table' ? inlineText(block.title) : ''
        return rows.some(({ sentence }) => sentence === `${text}.`) ? [`${text}.`] : []
      })
      for (const text of [...linesOf(result), ...headlines]) {
        const row = rows.find(({ sentence }) => sentence === text)!
        expect(row, text).toBeDefined()
        const beside =
          row.topic === 'cards' ? [row, ...verdicts.filter(({ label }) => label === row.subject)] : [row]
        expect(strangers(text, beside), text).toEqual([])
      }
      const all = [...rows, ...verdicts]
      expect(strangers(inlineText(lead.also), all)).toEqual([])
      expect(strangers(inlineText(lead.next), rows)).toEqual([])
      const cells = result.queries.flatMap(({ columns, rows: found }) =>
        found.map((row) =>
          Object.fromEntries(columns.map(({ name: column }, place) => [column, cellText(row[place])])),
        ),
      )
      expect(strangers(inlineText(lead.rest), cells)).toEqual([])
    },
  )

  test('and what the file says is what the warehouse holds', async () => {
    const result = results.get(REVIEW)!
    const rows = leadRows(result)
    for (const row of rows.filter(
      ({ kind, topic }) => kind === 'outside' && ['sources', 'teams'].includes(String(topic)),
    )) {
      const column = row.topic === 'teams' ? 'team_name' : 'channel_name'
      const counted = async (from: string, to: string) => {
        const found = await reader.query(
          `select count(*) from incident_times where ${column} = $subject and start_time >= '${from}' and start_time < '${to}'`,
          { subject: String(row.subject) },
        )
        return Number(found.rows[0]![0])
      }
      expect([row.value, row.before]).toEqual([
        await counted('2026-08-03', '2026-11-02'),
        await counted('2026-05-04', '2026-08-03'),
      ])
    }
    const goal = rows.find(({ kind, topic }) => kind === 'goal' && topic === 'targets')
    if (goal?.within === 'acknowledge' && goal.subject === null) {
      const { rows: found } = await reader.query(
        `select count(*) filter (ack_time - start_time <= to_seconds(ack_target_s)) / count(*) from incident_times
        join config_targets on severity = incident_severity where start_time >= '2026-08-03' and start_time < '2026-11-02'`,
      )
      expect(goal.value).toBeCloseTo(Number(found[0]![0]), 12)
    }
    if (plant === 'a silent goal') expect(goal).toBeDefined()
  })
})

describe('the lead', () => {
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

  test('speaks of the chosen teams and severities only', async () => {
    const first = async (options: object) =>
      linesOf(await runReport(reportFile(body), reader, { ...at, ...options }))[0]
    expect(await first({})).toMatch(
      /^Nobody has acknowledged 2 serious open incidents; the worst is N1 .* \(Critical\), open for 3\u202fd/,
    )
    expect(await first({ team: 'Two' })).toMatch(/^Nobody has acknowledged N2 .* \(Warning\)/)
    expect(await first({ severity: 'Critical' })).toMatch(/^Nobody has acknowledged N1 /)
    expect(await first({ severity: 'Info' })).toBeUndefined()
  })

  test('shows names from the service as text, and does not say that nothing is wrong where nothing can be compared', async () => {
    const result = await runReport(reportFile(body), reader, at)
    const html = toHtml(result)
    expect(html).toMatch(/&lt;b(>|&gt;)x/)
    expect(html).not.toMatch(/<b>x|\u001b|\u202e/)
    expect(toTerminal(result, { width: 80, color: false })).not.toContain('\u001b')
    expect(result.verdict).toContain('Next: ask those who were called (Eve')
    const none = await runReport(reportFile(body), reader, { ...at, severity: 'Info' })
    expect(leadOf(none)).toMatchObject({ lines: [], start: 'Nothing to compare with yet: ', next: [] })
  })

  test('is made of what its block asks for, and a report without the block has none', async () => {
    const only = await runReport(
      reportFile('```findings\nabout: [targets]\nrest: all of it\n```\n'),
      reader,
      at,
    )
    expect(linesOf(only).join()).not.toContain('Nobody')
    expect(only.verdict).toContain('all of it')
    const without = await runReport(
      reportFile('Just {{ a.n | number }}.\n\n```sql a\nselect 1 as n\n```\n'),
      reader,
      at,
    )
    expect(without.findings).toBeNull()
    expect(without.verdict).toBe('Just 1.')
    expect(JSON.parse(toJson(without)).findings).toBeNull()
  })

  test('links to the first block that proves it, which has its sentence as headline', async () => {
    const file = reportFile(
      `${body}\n\`\`\`sql a\nselect num from scoped_open\n\`\`\`\n\n${['First', 'Second']
        .map((title) => `\`\`\`table\ntitle: ${title}\nfinding: open\ndata: a\n\`\`\`\n`)
        .join('\n')}`,
    )
    const result = await runReport(file, reader, at)
    const tables = result.blocks.filter((block) => block.kind === 'table')
    expect(tables.map(({ title, section }) => [inlineText(title), section])).toEqual([
      [linesOf(result)[0]!.replace(/\.$/, ''), 'open'],
      ['Second', undefined],
    ])
    expect(toHtml(result)).toMatch(/href="#open"[\s\S]* id="open"/)
  })

  test('tells a key it does not know', async () => {
    await expect(runReport(reportFile('```findings\nabout: [weather]\n```\n'), reader, at)).rejects.toThrow(
      /about/,
    )
    const table = '```sql a\nselect 1 as n\n```\n\n```table\ndata: a\nfinding: weather\n```\n'
    await expect(runReport(reportFile(table), reader, at)).rejects.toThrow(/finding/)
    await expect(runReport(reportFile('```sql findings\nselect 1 as n\n```\n'), reader, at)).rejects.toThrow(
      /taken/,
    )
  })
})

type Row = Record<string, string>

function csvOf(text: string): Row[] {
  const [head, ...rows] = text
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) =>
        cell!.replace(/^"|"$/g, '').replaceAll('""', '"'),
      ),
    )
  return rows.map((cells) => Object.fromEntries(head!.map((name, place) => [name, cells[place] ?? ''])))
}

const cellText = (value: Value | undefined) => (value instanceof Date ? '' : String(value ?? ''))

function leadRows({ findings }: ReportResult) {
  const { columns, rows } = findings!
  return rows
    .map((row) => Object.fromEntries(columns.map(({ name }, place) => [name, row[place] ?? null])))
    .filter((row) => row.gives_way === false)
}

/** The numbers of a text, with their units, that none of the cells is when written out; names are no numbers. */
function strangers(text: string, rows: readonly Row[]): string[] {
  const context = { timezone: 'UTC', year: '2026' }
  let left = text
  for (const row of rows.filter(({ sentence }) => sentence !== undefined))
    for (const name of [row.subject, row.within, row.detail].filter((one) => one))
      left = left.replaceAll(name!, '')
  const known = new Set<string>()
  for (const row of rows)
    for (const cell of Object.values(row)) {
      const value = Number(cell)
      if (cell === '' || !Number.isFinite(value)) continue
      const tenth = Math.round(value * 10) / 10
      for (const each of [value, Math.abs(value), Math.abs(value - 1)])
        for (const as of ['number', 'percent', 'duration'] as const)
          known.add(plain(format(each, as, context)))
      known.add(plain(format(tenth, 'number', context)))
      known.add(`${plain(format(Math.abs(value) * 100, 'number', context))}\u202fpp`)
    }
  const numbers = left.match(/\d+(?:[\u202f.]\d+)*(?:\u202f(?:%|[a-z]+))?(?:\u00a0\d+\u202f[a-z]+)?/g) ?? []
  return numbers.filter((one) => !known.has(one))
}
