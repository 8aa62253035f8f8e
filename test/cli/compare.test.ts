import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkEvents } from '../../src/cli/check/check-names.ts'
import { loadConfig } from '../../src/config/config.ts'
import { type Comparison, compare } from '../../src/sdk/index.ts'
import { fillEvents } from '../sql/event-company.ts'
import { run } from '../support/cli.ts'
import { ownFolder } from '../support/folder.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'

const folder = ownFolder()
const config = join(folder, 'config.json')
const hostile = '<b>rota</b> "two"'
const events = [
  { date: '2026-03-02', name: 'new rota', teams: ['T1'] },
  { date: '2026-03-02', name: hostile },
  { date: '2026-04-27', name: 'freeze' },
]
let warehouse: string
const write = (given: readonly object[]) =>
  writeFileSync(
    config,
    JSON.stringify({ warehouse, out: './out', reports: './own', reporting: { events: given } }),
  )
beforeAll(async () => {
  warehouse = await warehouseFile((connection) => fillEvents(connection))
  mkdirSync(join(folder, 'own'))
  write(events)
})
const ask = (...words: string[]) => run(['compare', ...words, '--config', config], {}, folder)

/** A comparison must not name a cause. */
const CAUSE = /because|caus|help|thanks|due to|led to/i

describe('faultline compare', () => {
  test('compares the teams affected by an event with all other teams', async () => {
    const { code, out } = await ask('--event', 'new rota')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^new rota, 2\sMar\s2026\nT1, compared with 3 other teams; 8 weeks since, 8 before\.\n/,
    )
    expect(out).toMatch(
      /Time to acknowledge: 7\d% shorter, relative to the other teams \(95% CI −7\d to −6\d%\)\./,
    )
    expect(out).toContain(`Other events in the same weeks: ${hostile}.`)
    expect(out).not.toMatch(CAUSE)
    const json = await ask('--event', 'new rota', '--json')
    const [found] = JSON.parse(json.out) as Comparison[]
    expect(found!.changes.map(({ measure, code }) => [measure, code])).toEqual([
      ['time_to_ack', 'sure'],
      ['time_to_resolve', 'sure'],
      ['incidents_a_week', expect.stringMatching(/small|unclear/)],
    ])
    expect(found).toMatchObject({
      event: 'new rota',
      day: '2026-03-02',
      teams: ['T1'],
      otherTeams: 3,
      weeks: 8,
    })
    const csv = await ask('--event', 'new rota', '--format', 'csv')
    expect(csv.out.split('\r\n')).toHaveLength(5)
    expect(csv.out).toMatch(/^event,day,/)
  })

  test('lists changes without naming a cause if no other teams exist', async () => {
    const { out } = await ask('--event', hostile)
    expect(out).toContain('All teams; 8 weeks since, 8 before.')
    expect(out).not.toMatch(/compared with/)
    expect(out).not.toMatch(CAUSE)
    const [found] = JSON.parse((await ask('--event', hostile, '--json')).out) as Comparison[]
    expect(found!.changes.map(({ code }) => code)).not.toContain('sure')
  })

  test('prints the first day on which an event that is too recent can be assessed', async () => {
    const { out } = await ask()
    expect(out.match(/Too early: can be assessed from 25\sMay\s2026\./g)).toHaveLength(3)
    expect(out).toContain('new rota, 2')
  })

  test('rejects an unknown event and suggests the closest name', async () => {
    const wrong = await ask('--event', 'new rotta')
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringMatching(/Unknown event "new rotta"\.\n.*Did you mean "new rota"\?/),
    ])
    write([])
    const none = await ask()
    write(events)
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringMatching(/No events are configured\.\n.*reporting\.events/),
    ])
  })

  test('uses configured events, whose unknown teams `faultline check` reports', async () => {
    write([{ date: '2026-03-02', name: 'new rota', teams: ['T1', 'T11'] }])
    const reader = await openReader(warehouse as never, { settings: loadConfig({ config }, {}).settings })
    expect(await checkEvents(reader)).toMatchObject([
      { level: 'warn', message: '"new rota": no incident belongs to team "T11"' },
    ])
    reader.close()
    write(events)
  })
})

describe('in a report', () => {
  const make = (name: string, period: string) =>
    run(['report', name, '--period', period, '--format', 'html,csv', '--config', config], {}, folder)
  const page = async (name: string, period = '8w') => {
    // Old data fails the page, which is still written.
    expect([0, 3]).toContain((await make(name, period)).code)
    return readFileSync(join(folder, 'out', name, `${period}.html`), 'utf8')
  }

  test('a comparison block shows the same sentences as `faultline compare`', async () => {
    writeFileSync(
      join(folder, 'own', 'rota.md'),
      '---\ntitle: Rota\n---\n\n```compare\nevent: new rota\n```\n\n```compare\n```\n\n```compare\nevent: nope\n```\n',
    )
    const html = await page('rota')
    const { out } = await ask('--event', 'new rota', '--json')
    for (const { sentence } of (JSON.parse(out) as Comparison[])[0]!.changes) expect(html).toContain(sentence)
    expect(html).toContain('No event called &quot;nope&quot; is configured.')
    expect(html).toContain('&lt;b&gt;rota&lt;/b&gt;')
    expect(html).not.toContain('<b>rota')
  })

  test('a comparison block is omitted if no event is configured', async () => {
    write([])
    writeFileSync(
      join(folder, 'own', 'none.md'),
      '---\ntitle: None\n---\n\n```kpi\n- { metric: incidents }\n```\n\n```compare\n```\n',
    )
    const html = await page('none')
    expect(html).toContain('Incidents')
    expect(html).not.toMatch(/Changes since events|No events are configured|event_changes/)
    write(events)
  })

  test('every time chart marks each configured event with a line', async () => {
    writeFileSync(
      join(folder, 'own', 'weekly.md'),
      `---
title: Weekly
---

\`\`\`sql weekly
select week, count(*) as n from scoped_incidents group by all order by week
\`\`\`

\`\`\`chart
{ type: columns, title: Columns, data: weekly, x: week, y: n }
\`\`\`

\`\`\`chart
{ type: line, title: Line, data: weekly, x: week, y: n }
\`\`\`
`,
    )
    const named = (html: string) =>
      [...html.matchAll(/<text class="note[^>]*>(freeze|new rota)<\/text>/g)].length
    const html = await page('weekly', '16w')
    // Two charts, each in a wide and a narrow version.
    expect(named(html)).toBe(8)
    expect(html).toContain('; new rota on 2')
    expect(html).toContain('&lt;b&gt;rota')
    expect(html).not.toContain('<b>rota')
    write([])
    const plain = await page('weekly', '16w')
    write(events)
    expect(named(plain)).toBe(0)
    expect(plain).not.toContain('class="rule"')
  })
})

test('the package function `compare` returns the same comparison as `faultline compare`', async () => {
  const [found] = await compare({ warehouse, events, event: 'new rota' })
  const { out } = await ask('--event', 'new rota', '--json')
  expect(found).toEqual((JSON.parse(out) as Comparison[])[0])
  await expect(compare({ warehouse, events: [{ date: '2026-13-01', name: 'x' }] })).rejects.toThrow(
    /events\.0\.date: expected a day such as 2026-03-14/,
  )
  await expect(compare({ warehouse, events, timezone: 'Berlin' })).rejects.toThrow(/`timezone`/)
})
