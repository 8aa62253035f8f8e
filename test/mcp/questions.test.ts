import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/settings/settings.ts'
import { withFilled } from '../sql/served-world.ts'
import { type McpClient, startMcp } from '../support/mcp-client.ts'
import { storyContent } from '../support/story-world.ts'
import { settleUci498, uci498, warehouseFile } from '../support/warehouse.ts'
import { type Content, company, inhabit, settleCompany, type World } from '../support/world.ts'
import { answerTo, type Question } from './oracle.ts'

/** A world with its questions. `untold` has questions without a verdict, each with the reason. */
interface Asked {
  readonly name: string
  readonly make: () => Promise<string>
  readonly world: () => World
  readonly questions: readonly Question[]
  readonly untold: readonly (Question & { readonly why: RegExp })[]
}

const filled = (content: Content): World =>
  withFilled({
    ...{
      runs: [],
      windows: [],
      versions: [],
      responders: [],
      members: [],
      teams: [],
      channels: [],
      postMortems: [],
    },
    ...content,
    quarantined: 0,
    settings: content.settings ?? defaultSettings,
  } as unknown as World).filled

/** Questions about several metrics of a period, optionally filtered. */
const of = (
  span: Pick<Question, 'from' | 'to'>,
  metrics: string,
  chosen: Pick<Question, 'severity' | 'team'> = {},
): Question[] => metrics.split(' ').map((metric) => ({ metric, ...span, ...chosen }))

const WELL_KNOWN = 'time_to_resolve incidents time_to_acknowledge acknowledged time_to_close'

const companySpan = { from: '2026-08-03', to: '2026-10-26' }
const NOW = Date.UTC(2026, 10, 2, 12) / 1_000
const stormSpan = { from: '2026-09-07', to: '2026-11-02' }
const realSpan = { from: '2016-05-02', to: '2016-05-30' }

const worlds: readonly Asked[] = [
  {
    name: 'a company',
    make: () => warehouseFile(settleCompany),
    world: () => filled(company()),
    questions: [
      ...of(
        companySpan,
        `${WELL_KNOWN} critical_share unacknowledged alerts_folded time_to_recover pages time_to_resolve_p90`,
      ),
      ...of(companySpan, WELL_KNOWN, { severity: 'Critical' }),
      ...of(companySpan, WELL_KNOWN, { team: 'payments' }),
      ...of({ from: '2026-10-19', to: '2026-10-26' }, 'time_to_resolve incidents', { team: 'search' }),
      ...of({ from: '2026-10-19', to: '2026-10-26' }, WELL_KNOWN, { team: 'search', severity: 'Critical' }),
    ],
    untold: [
      { ...{ metric: 'incidents', from: '2026-03-30', to: '2026-06-22' }, why: /no earlier data/ },
      { ...{ metric: 'time_to_acknowledge', from: '2026-10-19', to: '2026-10-26' }, why: /too short/ },
      { ...{ metric: 'time_to_resolve_p90', ...companySpan }, why: /has no comparison/ },
    ],
  },
  {
    name: 'a storm',
    make: () => warehouseFile((connection) => inhabit(connection, storyContent('storm', NOW))),
    world: () => filled(storyContent('storm', NOW)),
    questions: [
      ...of(stormSpan, `${WELL_KNOWN} critical_share unacknowledged time_to_recover`),
      ...of(stormSpan, 'incidents time_to_acknowledge', { severity: 'Warning' }),
    ],
    untold: [{ ...{ metric: 'incidents', ...stormSpan }, why: /times as many|not compared|came/ }],
  },
  {
    name: 'a silence',
    make: () => warehouseFile((connection) => inhabit(connection, storyContent('silence', NOW))),
    world: () => filled(storyContent('silence', NOW)),
    questions: of({ from: '2026-08-03', to: '2026-08-31' }, `${WELL_KNOWN} serious_incidents`),
    untold: [{ ...{ metric: 'incidents', ...stormSpan }, why: /no incident for \d+ days/ }],
  },
  {
    name: 'the real incidents',
    make: () => warehouseFile(settleUci498),
    world: realWorld,
    questions: [
      ...of(realSpan, `${WELL_KNOWN} critical_share time_to_recover serious_incidents`),
      ...['Critical', 'Warning'].flatMap((severity) =>
        of(realSpan, 'time_to_acknowledge time_to_close time_to_resolve', { severity }),
      ),
    ],
    untold: [
      { ...{ metric: 'time_to_close', from: '2016-02-29', to: '2016-03-28' }, why: /no earlier data/ },
    ],
  },
]

/** The records of uci498 from which `expected.json` was computed. */
function realWorld(): World {
  const rows = (name: string) =>
    gunzipSync(readFileSync(join(uci498!, `${name}.ndjson.gz`)))
      .toString()
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  return filled({ incidents: rows('incidents'), channels: rows('channels'), teams: rows('teams') })
}

const isThere = ({ name }: Asked) => name !== 'the real incidents' || uci498 !== null
if (uci498 === null)
  console.warn(
    'Skipped: the 24,918 real incidents are not beside the checkout, so no question is asked of them.',
  )

test('at least sixty questions are tested', () => {
  const all = worlds.flatMap(({ questions, untold }) => [...questions, ...untold])
  expect(all.length).toBeGreaterThanOrEqual(60)
})

describe.each(worlds.filter(isThere))('$name', ({ make, world, questions, untold }) => {
  let client: McpClient
  let known: World
  beforeAll(async () => {
    client = await startMcp(['--warehouse', await make()])
    known = world()
  }, 300_000)
  afterAll(async () => void (await client.close()))

  const ask = async ({ metric, from, to, severity, team }: Question) => {
    const { json, text, isError } = await client.call('figure', {
      ...{ metric, period: `${from}..${to}`, timezone: 'UTC' },
      ...(severity && { severity: [severity] }),
      ...(team && { team: [team] }),
    })
    expect([isError, isError && text]).toEqual([false, false])
    return json
  }

  test.each(questions)('$metric $from $severity $team', async (question) => {
    const told = await ask(question)
    const { value, n, interval } = answerTo(question, known)
    expect(told.n).toBe(n)
    near(told.value, value)
    expect(told.interval === null).toBe(interval === null)
    for (const end of [0, 1]) near(told.interval?.[end] ?? null, interval?.[end] ?? null)
    if (value === null) expect(told.not_available).toBeTruthy()
  })

  test.each(untold)('$metric $from lacks a verdict on a change', async ({ why, ...question }) => {
    const { verdict, change } = await ask(question)
    expect(verdict).toMatch(/^not available: /)
    expect(verdict).toMatch(why)
    expect(change).toBeNull()
  })
})

test('without incidents the figure is null, with the reason', async () => {
  const client = await startMcp(['--warehouse', await warehouseFile(settleCompany)])
  const day = { from: '2026-10-20', to: '2026-10-21', severity: 'Ok', team: 'identity' }
  for (const question of of(day, 'time_to_resolve acknowledged')) {
    expect(answerTo(question, filled(company()))).toEqual({ value: null, n: 0, interval: null })
    const { json } = await client.call('figure', {
      ...{ metric: question.metric, period: '2026-10-20', timezone: 'UTC' },
      ...{ severity: ['Ok'], team: ['identity'] },
    })
    expect(json).toMatchObject({ value: null, n: 0, interval: null, figure: '–', change: null })
    expect(json.not_available).toBe('no such incidents in the period')
    expect(json.verdict).toMatch(/^not available: /)
  }
  expect(await client.close()).toBe(0)
})

/** Compares two numbers except for the rounding of a sum. */
function near(told: number | null, known: number | null) {
  if (told === null || known === null) return expect(told).toBe(known)
  expect(Math.abs(told - known)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(known)))
}
