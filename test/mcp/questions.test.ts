import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/settings/settings.ts'
import { withFilled } from '../sql/served-world.ts'
import { type McpClient, startMcp } from '../support/mcp-client.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { type Content, company, settleCompany, type World } from '../support/world.ts'
import { answerTo, type Question } from './oracle.ts'

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

const questions: readonly Question[] = [
  ...of(
    companySpan,
    `${WELL_KNOWN} critical_share unacknowledged alerts_folded time_to_recover pages time_to_resolve_p90 serious_incidents`,
  ),
  ...of(companySpan, WELL_KNOWN, { severity: 'Critical' }),
  ...of(companySpan, WELL_KNOWN, { team: 'payments' }),
  ...of({ from: '2026-10-19', to: '2026-10-26' }, 'time_to_resolve incidents', { team: 'search' }),
  ...of({ from: '2026-10-19', to: '2026-10-26' }, WELL_KNOWN, { team: 'search', severity: 'Critical' }),
]

/** Questions without a verdict, each with the reason. */
const untold: readonly (Question & { readonly why: RegExp })[] = [
  {
    ...{ metric: 'incidents', from: '2026-03-30', to: '2026-06-22' },
    why: /previous data missing or incomplete/,
  },
  { ...{ metric: 'time_to_acknowledge', from: '2026-10-19', to: '2026-10-26' }, why: /too short/ },
  { ...{ metric: 'time_to_resolve_p90', ...companySpan }, why: /has no comparison/ },
]

describe('a figure from the MCP tool `figure`', () => {
  let client: McpClient
  const known = filled(company())
  beforeAll(async () => {
    client = await startMcp(['--warehouse', await warehouseFile(settleCompany)])
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

  test.each(questions)(
    'matches an independent computation: $metric $from $severity $team',
    async (question) => {
      const told = await ask(question)
      const { value, n, interval } = answerTo(question, known)
      expect(told.n).toBe(n)
      near(told.value, value)
      expect(told.interval === null).toBe(interval === null)
      for (const end of [0, 1]) near(told.interval?.[end] ?? null, interval?.[end] ?? null)
      if (value === null) expect(told.not_available).toBeTruthy()
    },
  )

  test.each(untold)(
    'has no verdict if a comparison is impossible: $metric $from',
    async ({ why, ...question }) => {
      const { verdict, change } = await ask(question)
      expect(verdict).toMatch(/^not available: /)
      expect(verdict).toMatch(why)
      expect(change).toBeNull()
    },
  )
})

test('the MCP tool `figure` returns null and a reason if there are no incidents', async () => {
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
