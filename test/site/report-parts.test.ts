import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { foldersIn } from '../../src/site/current-pages.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { run } from '../support/cli.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, scratch, warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

let warehouse: string
beforeAll(async () => {
  warehouse = await warehouseFile(settleCompany)
})

/** A small report with a gate that always fails. */
const FEW = `---
title: Few
per_team: true
fail_if: [{ name: few, when: q.n < 100000, message: Too few. }]
---
\`\`\`sql q
select count(*) as n from scoped_incidents
\`\`\`
{{ q.n | number }}
`

/** Writes a configuration with a custom report. @returns the folder */
function folderWith(reporting: object): string {
  const folder = scratch()
  mkdirSync(join(folder, 'own'))
  writeFileSync(join(folder, 'own', 'few.md'), FEW)
  const config = { warehouse, out: './out', reports: './own', reporting: { quality, ...reporting } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  return folder
}

/** Disables the check of the data age, because the test data is older than the current clock. */
const quality = { age: { warn: null, error: null } }
const page = (...path: string[]) => readFileSync(join(...path), 'utf8')

test('`faultline report` also builds the pages of the configured teams', async () => {
  const folder = scratch()
  const reader = await openReader(warehouse, { settings: defaultSettings })
  const { rows } = await reader.query('select distinct team_name from incident_times order by all')
  reader.close()
  const config = { warehouse, out: join(folder, 'out'), reporting: { quality, teams: [rows[0]![0]] } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  expect((await run(['report', 'severity-trend'], {}, folder)).code).toBe(0)
  expect(foldersIn(join(folder, 'out', 'teams'))).toHaveLength(1)
  // A run for one team writes only the page of that team.
  expect((await run(['report', 'severity-trend', '--team', String(rows[1]![0])], {}, folder)).code).toBe(0)
  expect(foldersIn(join(folder, 'out', 'teams'))).toHaveLength(2)
})

describe('a report run with filters', () => {
  let folder: string
  let out: string
  const make = (...options: string[]) => run(['report', 'few', ...options], {}, folder)
  beforeAll(async () => {
    folder = folderWith({ dimensions: { class: 'incident_severity' }, teams: true, pages: ['class'] })
    out = join(folder, 'out')
    await make()
    await make('--all-accounts')
  })

  const partsOf = (kind: string) => foldersIn(join(out, kind)).map((name) => `${kind}/${name}`)
  const parts = () => ['', ...partsOf('teams'), ...partsOf('class'), ...partsOf('accounts')]
  const currentPages = () =>
    ['few.html', 'few/q.csv', 'few/summary.json'].flatMap((file) =>
      parts().map((part) => [part, file, page(out, part, file)]),
    )

  test.each([
    ['a past period and a severity', ['--period', '2026-03', '--severity', 'Critical'], '2026-03_critical'],
    ['a moving period in another zone', ['--period', 'last month', '--timezone', 'Asia/Tokyo'], 'last_month'],
  ])('does not change any current report page: %s', async (_, options, key) => {
    const before = currentPages()
    expect(parts().length).toBeGreaterThan(8)
    for (const more of [[], ['--all-accounts']]) expect((await make(...options, ...more)).code).toBe(3)
    expect(currentPages()).toEqual(before)
    expect(parts().filter((part) => !existsSync(join(out, part, 'few', `${key}.html`)))).toEqual([])
  })

  test('does not change any current report page if only one team is selected', async () => {
    const before = currentPages()
    const [team] = (await make('--team', 'payments', '--severity', 'Critical')).out.match(/teams\/\d+/)!
    expect(currentPages()).toEqual(before)
    expect(existsSync(join(out, team, 'few', 'critical.html'))).toBe(true)
  })
})

test('a gate that fails for one team or account causes exit status 3', async () => {
  for (const [reporting, whose, ...options] of [
    [{ teams: true }, 'payments'],
    [{ dimensions: { class: 'incident_severity' }, pages: ['class'] }, 'Critical'],
    [{}, '\\d+', '--all-accounts'],
  ] as const) {
    const { code, err } = await run(['report', 'few', ...options], {}, folderWith(reporting))
    expect(code).toBe(3)
    expect(err).toMatch(new RegExp(`^failed: few of ${whose}: Too few`, 'm'))
  }
})

test('a reused database session keeps no queries of the previous report', async () => {
  const reader = await openReader(warehouse, { settings: defaultSettings })
  const sessions = pooled(reader, { timesKept: true })
  const shadow = reportFile('```sql open_incidents\nselect 42 as n\n```\n{{ open_incidents.n | number }}\n')
  const leaves = reportFile('```sql left_over\nselect 42 as n\n```\n{{ left_over.n | number }}\n')
  const asks = reportFile('```sql q\nselect count(*) as n from open_incidents\n```\n{{ q.n | number }}\n')
  const times = reportFile('```sql incident_times\nselect 42 as n\n```\n{{ incident_times.n | number }}\n')
  const looks = reportFile('```sql q\nselect n from left_over\n```\n{{ q.n | number }}\n')
  const before = (await runReport(asks, reader)).verdict
  for (const file of [shadow, times, leaves]) expect((await runReport(file, sessions)).verdict).toBe('42')
  expect((await runReport(asks, sessions)).verdict).toBe(before)
  await expect(runReport(looks, sessions)).rejects.toThrow(/left_over/)
  reader.close()
})
