import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { summaryOf, words } from '../../src/render/summary.ts'
import { inlineText, leadParagraphs } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toJson } from '../../src/render/to-json.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { cellText, csvOf, leadOf, leadRows, linesOf, strangers } from '../page/stated-figures.ts'
import { openReader } from '../support/storage.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { findingWorld, type Plant, plants } from './finding-worlds.ts'

/** Explicit objectives, because the lead of a report never mentions a default objective. */
const ownGoals: Settings = {
  ...defaultSettings,
  targets: defaultSettings.targets.map((target) => ({ ...target, ack_goal: 0.92, resolve_goal: 0.85 })),
}

const REVIEW = 'reliability-review'
const every = listReports('reports').map(({ name }) => name)
const at = { timezone: 'UTC', lists: false }

const readerOf = async (plant: Plant, seed: number) =>
  openReader(await warehouseFile((connection) => inhabit(connection, findingWorld(plant, seed).content)), {
    settings: ownGoals,
  })

const firstOf = (result: ReportResult): string | undefined => linesOf(result)[0]

describe.each(plants)('for a company with %s', (plant) => {
  // By default only one seed, the review, and each other report once, to save time. The last report is omitted, because
  // it shows no finding.
  const other = every.slice(0, -1)[plants.indexOf(plant)] ?? REVIEW
  const names = inject('isLarge') ? every : [...new Set([REVIEW, other])]
  const { named } = findingWorld(plant, 4)
  let reader: Reader
  const results = new Map<string, ReportResult>()
  beforeAll(async () => {
    reader = await readerOf(plant, 4)
    const sessions = pooled(reader)
    for (const name of names) results.set(name, await runReport(`reports/${name}.md`, sessions, at))
  }, 300_000)
  afterAll(() => reader?.close())

  test('the reliability review reports the planted change first', () => {
    const first = firstOf(results.get(REVIEW)!)
    if (named === null) expect(first).toBeUndefined()
    else expect(first).toMatch(named)
  })

  test.each(names)('%s shows the same findings on the page, in the terminal, in mail and in JSON', (name) => {
    expectAlike(results.get(name)!)
  })

  test.each(names)('the lead of %s mentions every red card', (name) => {
    const result = results.get(name)!
    const said = result.verdict
    for (const { label, change, target } of result.kpis) {
      if (change?.tone === 'worse') expect(said).toContain(`${label}`)
      if (target && !target.met && !target.isNoise) expect(said).toContain(`${label}`)
    }
  })

  test.each(names)(
    'the CSV files contain every number in the lead, headlines and next step of %s',
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

  test.each(names)(
    'findings.csv of %s lists every candidate with its class and why it is in the lead',
    (name) => {
      const result = results.get(name)!
      const rows = objectsOf(result.findings!)
      const [first] = result.findings!.columns
      expect(first!.name).toBe('class')
      const known = ['action', 'data', 'change', 'standing', 'good']
      expect(rows.filter((row) => !known.includes(String(row.class)) || !row.reason)).toEqual([])
      const inLead = rows.filter(({ reason }) => reason === 'in the lead')
      expect(inLead.map(({ sentence }) => sentence).toSorted()).toEqual(linesOf(result).toSorted())
      const tested = rows.filter(({ q }) => Number(q) >= 0.05)
      // The change of a card that a data problem suspends is not significant either.
      const why = ['not significant after correction', 'touched by a data problem']
      expect(tested.filter(({ reason }) => !why.includes(String(reason)))).toEqual([])
      expect(tested.every(({ sentence }) => sentence === null)).toBe(true)
      if (name === REVIEW) expect(tested.length).toBeGreaterThan(10)
    },
  )

  test('the findings of the review agree with a query of the warehouse', async () => {
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

function expectAlike(result: ReportResult): void {
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
  }
  for (const each of linesOf(result).map(flat)) expect(flat(mail.html)).toContain(each)
  const { findings } = JSON.parse(toJson(result))
  const listed = findings.filter((one: Record<string, unknown>) => !one.gives_way)
  expect(listed.map(({ sentence }: { sentence: string }) => sentence)).toEqual(
    expect.arrayContaining(linesOf(result)),
  )
  const summary = summaryOf(result)
  expect(summary.verdict).toBe(said.join(' '))
  expect(summary.findings.slice(0, lead.lines.length)).toEqual(linesOf(result).map(words))
  expect(summary.next).toBe(words(inlineText(lead.next)))
  if (lead.lines.length === 0) expect(lead.next).toEqual([])
}
