import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { company } from '../page/odd-worlds.ts'
import { seeded } from '../support/random.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

// A test runs up to 15 reports one after another.
vi.setConfig({ testTimeout: 480_000 })

/**
 * The lead names a team if the team is significantly worse than the other teams. Being the largest team is not a
 * reason.
 */
/** Number of incidents of each team in 13 weeks. */
const sizes = { Largest: 400, Large: 200, Middle: 100, Small: 60, Less: 40, Least: 6 }
type Name = keyof typeof sizes
const seeds = Array.from({ length: 15 }, (_, seed) => seed)

/** The share that each team acknowledges in time. The objective is 90 %. */
const companies: Record<string, (name: Name) => number> = {
  alike: () => 0.72,
  'one late': (name) => (name === 'Small' ? 0.45 : 0.75),
  // The largest team meets the objective, although it has the most late incidents.
  'one that keeps it': (name) => (name === 'Largest' ? 0.93 : name === 'Middle' ? 0.4 : 0.88),
}
const asked = inject('isLarge') ? seeds : seeds.slice(0, 6)
const cases = Object.keys(companies).flatMap((company) => seeds.map((seed) => ({ company, seed })))
const teamOf = (company: string, seed: number, name: string) => `${name} ${company} ${seed}`

let reader: Reader
beforeAll(async () => {
  const teams = cases.flatMap(({ company, seed }) =>
    (Object.keys(sizes) as Name[]).map((name) => ({ company, seed, name })),
  )
  const next = seeded(5)
  const made = teams.flatMap(({ company: kind, seed, name }) =>
    Array.from({ length: sizes[name] }, () => {
      const ago = 1 + next() * 89
      const ack = next() > companies[kind]!(name) ? 7_200 : 60
      return { ago, ack, close: 7_300, severity: 'Warning', team: teamOf(kind, seed, name) }
    }),
  )
  const path = await warehouseFile((connection) => inhabit(connection, company(made, { days: 95 })))
  // An objective that the company set, because the lead mentions no other.
  const targets = defaultSettings.targets.map((target) => ({ ...target, ack_goal: 0.901 }))
  reader = await openReader(path, { settings: { ...defaultSettings, targets } })
})
afterAll(() => reader?.close())

/** The team with which the lead suggests to begin, for each seed. */
async function blamed(company: string): Promise<(string | undefined)[]> {
  const file = reportFile('```findings\nabout: [targets]\n```\n')
  const named: (string | undefined)[] = []
  for (const seed of asked) {
    const team = Object.keys(sizes).map((name) => teamOf(company, seed, name))
    const { verdict } = await runReport(file, pooled(reader), { timezone: 'UTC', team, lists: false })
    expect(verdict).toMatch(/incidents were acknowledged within target \(objective: 90/)
    const [, name, rest] = /Next steps: start with (\w+) (.*)/.exec(verdict) ?? []
    named.push(name)
    if (name !== undefined) expect(rest).toMatch(/, which acknowledged [\d.]+% within target/)
  }
  return named
}

test('the next step in a report names one of several equal teams in at most a tenth of companies', async () => {
  expect((await blamed('alike')).filter(Boolean).length).toBeLessThanOrEqual(Math.ceil(asked.length / 10))
})

test('the recommended next step in a report names the team that acknowledges late, even if it is small', async () => {
  const named = await blamed('one late')
  expect(named.filter((one) => one === 'Small').length).toBeGreaterThanOrEqual(Math.floor(0.9 * asked.length))
  expect(new Set(named.filter(Boolean))).toEqual(new Set(['Small']))
})

test('the next step in a report never names a team that meets its objective', async () => {
  const named = await blamed('one that keeps it')
  expect(named.filter((one) => one === 'Middle').length).toBeGreaterThanOrEqual(
    Math.floor(0.9 * asked.length),
  )
  expect(named).not.toContain('Largest')
})
