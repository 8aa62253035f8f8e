import { expect, test } from 'vitest'
import { draw, describe as sentence } from '../../../src/render/chart-drawing.ts'
import { chartOf } from '../../../src/render/charts/index.ts'
import type { ChartBlock, Frame, Value } from '../../../src/render/result.ts'
import { terminal } from '../../../src/render/terminal/paint.ts'
import { weeks as all, chart } from './drawn-chart.ts'

const frame = {
  timezone: 'UTC',
  from: '2026-09-07',
  to: '2026-09-28',
  asOf: '2026-10-14T11:30:00',
} as Frame

const said = (block: ChartBlock) => sentence(block, 'T', frame)
const wide = (block: ChartBlock) => draw(block, frame, 's')[0]!.html

const stacked = { type: 'columns', x: 'week', y: 'n', color: 'severity' }
/** From 31 August to 12 October. */
const weeks = all.slice(4, 11)
const columns = { week: 'DATE', is_partial: 'BOOLEAN', severity: 'VARCHAR', n: 'BIGINT' }
const rows = weeks.flatMap((week, index): Value[][] => [
  [week, index === 6, 'Critical', BigInt(index)],
  [week, index === 6, 'Info', 100n],
])

test('the description of a stacked column chart gives the range of weekly totals and the latest complete total', () => {
  expect(said(chart(stacked, columns, rows))).toBe('Column chart: T. from 100 to 106, latest 103.')
})

test('a column chart shades and labels the weeks after the report period', () => {
  const svg = wide(chart(stacked, columns, rows))
  expect(svg.split('class="previous"').length - 1).toBe(2)
  expect(svg).toContain('>after the period</text>')
  const onlyRunning = wide(chart(stacked, columns, rows.slice(0, 10)))
  expect(onlyRunning).not.toContain('after the period')
})

test('a column chart labels an incomplete first week', () => {
  const cut = rows.map(([week, , ...rest], index) => [week!, index < 2, ...rest])
  expect(wide(chart(stacked, columns, cut))).toContain('previous period, first incomplete')
})

test('a column chart on a phone shortens a label that would touch the next label', () => {
  const cut = rows.map(([week, , ...rest], index) => [week!, index < 2, ...rest])
  const phone = (some: Value[][]) => draw(chart(stacked, columns, some), frame, 's')[1]!.html
  expect(phone(cut.slice(0, 8))).toContain('>previous period, first incomplete</text>')
  expect(phone(cut)).toContain('>earlier, first incomplete</text>')
})

test('the description of a survival curve gives the ranges of its shares and times', () => {
  const spec = { type: 'survival', x: 's', y: 'share', scale: 'log' }
  const block = chart(spec, { s: 'DOUBLE', share: 'DOUBLE' }, [
    [60, 0.9],
    [3_600, 0.5],
    [86_400, 0.1],
  ])
  expect(said(block)).toBe('Survival curve: T. from 10% to 90%, after 1\u202fmin to 1\u202fd.')
  expect(wide(block)).toContain('≤ 1\u202fmin')
})

const percentiles = { type: 'percentiles', x: ['a', 'b', 'c', 'd', 'e'], y: 'team', scale: 'log' }

test('a percentile chart on a log scale labels its axis minimum with ≤ if a value is 0', () => {
  const shape = { team: 'VARCHAR', a: 'DOUBLE', b: 'DOUBLE', c: 'DOUBLE', d: 'DOUBLE', e: 'DOUBLE' }
  expect(wide(chart(percentiles, shape, [['x', 0, 0, 240, 900, 3_600]]))).toContain('≤ 4\u202fmin')
  expect(wide(chart(percentiles, shape, [['x', 60, 120, 240, 900, 3_600]]))).not.toContain('≤')
})

test('a percentile chart truncates a long team name to the space beside its axis', () => {
  const shape = { team: 'VARCHAR', a: 'DOUBLE', b: 'DOUBLE', c: 'DOUBLE', d: 'DOUBLE', e: 'DOUBLE' }
  for (const team of ['PLATFORM ENGINEERING', 'WWWWWWWWWWWWWWWW', 'ON-CALL', '支払い'.repeat(8)]) {
    const drawn = wide(chart(percentiles, shape, [[team, 60, 120, 240, 900, 3_600]]))
    const [text] = /<text[^>]*\bname end\b[^>]*>[^<]+/.exec(drawn) ?? [drawn]
    const [, shown] = />([^<]+)$/.exec(text!)!
    const [, x] = /\bx="?([\d.]+)/.exec(text!)!
    // 11.5 px is the minimum width of a bold wide character, 9.2 px that of other capitals.
    expect([...shown!].length * (/[W支]/.test(shown!) ? 11.5 : 9.2)).toBeLessThanOrEqual(Number(x))
    expect(Number(x)).toBeLessThan(160)
  }
})

test('a line chart labels its end value “latest value” if the last week has no value', () => {
  const spec = { type: 'line', x: 'week', y: ['median'] }
  const svg = wide(
    chart(
      spec,
      { week: 'DATE', is_partial: 'BOOLEAN', median: 'BIGINT' },
      weeks.map((week, index) => [week, index === 6, BigInt(10 + index)]),
    ),
  )
  expect(svg).toMatch(/>13<\/text><text[^>]*>last week<\/text>/)
  const last = (known: number) => {
    const rows = weeks.map((week, index): Value[] => [week, index === 6, index === known ? 11n : null])
    const block = chart(spec, { week: 'DATE', is_partial: 'BOOLEAN', median: 'BIGINT' }, rows)
    return [
      wide(block),
      chartOf(block.spec)
        .terminal(block, frame, terminal({ width: 100, color: false }))
        .join(),
    ]
  }
  expect(last(1)[0]).toMatch(/>11<\/text><text[^>]*>latest value<\/text>/)
  expect(last(1)[1]).toContain('figures are of the last complete one with a value)')
  expect(last(5)[1]).toContain('figures are of the last complete one)')
})
