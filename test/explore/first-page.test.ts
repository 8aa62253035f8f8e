import { describe, expect, test } from 'vitest'
import { explorer } from '../../src/explore/explore.ts'
import { format, plain } from '../../src/render/format.ts'
import { publishedAt } from '../support/storage.ts'
import { bare, cardsOf, exploring, ownWords, sent } from './explored.ts'

const { page, rowsOf, warehouse } = exploring()

describe('the first page of the explorer', () => {
  const counted = async (where: string) => {
    const rows = await rowsOf(`select count(*) from incident_times where ${where}`)
    return String(rows[0]![0])
  }
  const linkOf = (text: string, words: string) =>
    new RegExp(`<a href="/explore\\?([^"]*)"[^>]*>${words}</a>`).exec(text)![1]!.replaceAll('&amp;', '&')

  test('links first to open incidents and to the current shift', async () => {
    const text = await page('')
    const local = "timezone('Europe/Berlin', start_time)"
    expect(cardsOf(text).get('Incidents')).toBe(await counted(`${local} >= '2026-07-27'`))
    expect(text).toMatch(/aria-label="Period"><a [^>]*>Open now<\/a><a [^>]*>This shift<\/a>/)
    const open = await page(linkOf(text, 'Open now'))
    expect(cardsOf(open).get('Incidents')).toBe(await counted('is_open'))
    const shift = await page(linkOf(text, 'This shift'))
    const aDay = await counted('start_time > as_of_at - interval 24 hour')
    expect([Number(aDay) > 0, cardsOf(shift).get('Incidents')]).toEqual([true, aDay])
    expect(shift).not.toMatch(/Is this a change|previously/)
  })

  test('starts the current shift where the data of the last handover ended', async () => {
    const asOf = new Date('2026-10-30T12:00:00Z')
    const own = explorer({
      ...{ warehouse: publishedAt(warehouse()), settings: ownWords, timezone: undefined },
      lastShift: async () => ({ asOf, runs: [] }),
    })
    const { text } = await sent(own, '/explore?period=shift')
    own.close()
    const expected = await counted(`start_time > '${asOf.toISOString()}'`)
    expect(cardsOf(text).get('Incidents')).toBe(expected)
    expect(Number(expected)).toBeGreaterThan(0)
    expect(bare(text)).toContain('Since30Oct13:00')
  })

  test('breaks incidents down by hour, compared with the previous period', async () => {
    const text = await page('period=2026-09&by=hour')
    const hour = "extract(hour from timezone('Europe/Berlin', start_time))"
    const inMonth = (month: number) => `month(timezone('Europe/Berlin', start_time)) = ${month}`
    const median = (month: number) => `median(epoch(ack_time) - epoch(start_time))
      filter (not ever_muted and ack_time >= start_time and ${inMonth(month)})`
    const rows = await rowsOf(`
      select ${hour}::int, count(*) filter (${inMonth(9)})::int, count(*) filter (${inMonth(8)})::int,
        ${median(9)}, ${median(8)}
      from incident_times where ${inMonth(9)} or ${inMonth(8)} group by 1 order by 1`)
    const table = /<h2>By hour of day<\/h2>.*?<tbody>(.*?)<\/tbody>/s.exec(
      await page('period=2026-09&by=hour&all=hour'),
    )![1]!
    const time = (seconds: unknown) =>
      bare(
        plain(format(seconds === null ? null : Number(seconds), 'duration', { timezone: 'UTC', year: '' })),
      )
    expect(
      table
        .split('<tr>')
        .slice(1)
        .map((row) =>
          row
            .split(/<td[^>]*>/)
            .slice(1)
            .map(bare),
        ),
    ).toEqual(
      rows.map(([at, now, before, tta, ttaBefore]) => [
        `${String(at).padStart(2, '0')}:00`,
        ...[now, before].map(String),
        ...[tta, ttaBefore].map(time),
      ]),
    )
    expect(text).toContain('href="/explore?hour=0&amp;period=2026-09&amp;by=hour"')
  })

  test('breaks incidents down by alert', async () => {
    const text = await page('period=all&by=alert')
    const rows = await rowsOf(`select alert_family(title), count(*)::int
      from incident_times group by 1 order by 2 desc, 1 limit 1`)
    const [family, incidents] = rows[0]!
    const [, first] = /<h2>By alert<\/h2>.*?<tbody>(.*?)<\/tr>/s.exec(text)!
    expect(bare(first!)).toContain(bare(String(family)))
    expect(bare(first!)).toContain(String(incidents))
  })

  test('shows shares within target and medians for the filtered incidents', async () => {
    const text = await page('severity=Critical&period=all')
    const rows = await rowsOf(`
      select avg((ack_outcome = 'met')::int) filter (ack_outcome in ('met', 'missed')),
        avg((resolve_outcome = 'met')::int) filter (resolve_outcome in ('met', 'missed'))
      from incident_targets() where incident_severity = 'Critical'`)
    const [acknowledged, resolved] = rows[0]!.map((share) =>
      bare(plain(format(Number(share), 'percent', { timezone: 'UTC', year: '' }))),
    )
    expect(bare(text)).toContain(`Withintarget:${acknowledged}acknowledged,${resolved}resolved`)
    expect(bare(text)).toMatch(/Median:[^A-Z]*toacknowledge,[^A-Z]*toresolve/)
    expect(await page('title=nothing-like-this')).not.toContain('Within target:')
  })
})
