import { describe, expect, test } from 'vitest'
import { dataOf } from '../../../src/render/chart-data.ts'
import { draw } from '../../../src/render/chart-drawing.ts'
import type { UsualRange, Value } from '../../../src/render/result.ts'
import { count, drawn, frame, line, weeks } from './drawn-chart.ts'

test('a histogram on a log scale shows values of exactly 0 as a separate bar', () => {
  const spec = { type: 'histogram', x: ['from', 'to'], y: 'n', scale: 'log' }
  const rows: Value[][] = [
    [0, 0, 5304],
    [1, Math.SQRT2, 10],
    [3600, 3600 * Math.SQRT2, 20],
  ]
  const columns = { from: 'DOUBLE', to: 'DOUBLE', n: 'BIGINT' }
  const { svg } = drawn(spec, columns, rows, { rules: [{ label: 'median', value: 0 }] })
  expect(svg).not.toMatch(/NaN|Infinity/)
  expect(svg).toContain('>0\u202fs · <tspan class="main">5,304</tspan>')
  expect(svg).toContain('>0\u202fs</text>')
  const bars = [...svg.match(/class="c0" d="([^"]*)"/)![1]!.matchAll(/M([\d.]+) [\d.]+h([\d.]+)/g)].map(
    ([, at, width]) => [Number(at), Number(width)],
  )
  expect(bars).toHaveLength(3)
  for (const [place, [at]] of bars.entries())
    if (place > 0) expect(at).toBeGreaterThanOrEqual(bars[place - 1]![0]! + bars[place - 1]![1]!)
  const only = drawn(spec, columns, [[0, 0, 7]], { rules: [{ label: 'median', value: 0 }] })
  expect(only.svg).not.toMatch(/NaN|Infinity/)
})

describe('a control chart', () => {
  const spec = { type: 'control', x: 'week', y: 'a' }
  const columns = { week: 'DATE', a: 'DOUBLE' }
  const rows = weeks.map((week, i): Value[] => [week, i === 5 ? 31 : 12])
  const usual: UsualRange = { low: 4.4, centre: 12, high: 24.6, points: 12, judged: true, by: 'mean' }

  test('has a point for each week, and a labeled ring around each point outside the expected range', () => {
    const { svg } = drawn(spec, columns, rows, { usual })
    const still = svg.replace(/<g class="hit"[^>]*>.*?<\/g>/g, '')
    expect(count(still, '<circle class="dot')).toBe(13)
    expect(count(still, 'class="ring"')).toBe(1)
    expect(still).toMatch(/class="ring".*?>31<\/text>/)
    // Counts are integers, so the limits 4.4 and 24.6 are rounded inward to 5 and 24.
    expect(still).toContain('>24</text>')
    expect(still).toContain('>5</text>')
    expect(count(still, 'class="limit"')).toBe(2)
    expect(still).not.toContain('judged')
  })

  test('shows a note instead of rings if its expected range is based on few points', () => {
    const { svg } = drawn(spec, columns, rows, {
      usual: { ...usual, points: 8, judged: false, by: 'mean' },
    })
    expect(svg).not.toContain('class="ring"')
    expect(svg).toContain('8 points; assessed from 12')
  })

  test('draws the trend line only through weeks that have a trend value', () => {
    const shape = { ...columns, t: 'DOUBLE' }
    const rising = rows.map((row, i): Value[] => [...row, i > 3 ? 10 + i : null])
    const none = rows.map((row): Value[] => [...row, null])
    const line = /class="trendline" d="(M[^"]*)"/.exec(
      drawn({ ...spec, trend: 't' }, shape, rising, { usual }).svg,
    )
    expect(line![1]!.split(/[ML]/)).toHaveLength(10)
    expect(drawn({ ...spec, trend: 't' }, shape, none, { usual }).svg).not.toContain('trendline')
  })

  test('draws only points if there is no expected range', () => {
    const { svg } = drawn(spec, columns, rows, { usual: null })
    expect(svg).not.toMatch(/class="(ring|limit|centre|spread)"/)
    expect(count(svg, '<circle class="dot d0"')).toBeGreaterThan(11)
  })
})

test('a line chart shows a target above all values as a labeled line inside the plot', () => {
  const rows = weeks.map((week): Value[] => [week, 60])
  const { svg } = drawn(line, { week: 'DATE', a: 'DOUBLE' }, rows, {
    rules: [{ label: 'target', value: 900 }],
  })
  expect(svg).toMatch(/<line class="target"[^>]*\/><text class="note strong"[^>]*>target 15\u202fmin<\/text>/)
  const y = Number(/class="target"[^>]* y1=([\d.]+)/.exec(svg)![1])
  expect(y).toBeGreaterThanOrEqual(40)
})

test('a line chart shows the number of incidents still open, of all weeks and of each', () => {
  const rows = weeks.map((week, i): Value[] => [week, 60, BigInt(i === 12 ? 7 : i === 11 ? 2 : 0)])
  const { svg } = drawn({ ...line, open: 'o' }, { week: 'DATE', a: 'DOUBLE', o: 'BIGINT' }, rows)
  expect(svg).toContain('>9 still open</text>')
  expect(svg).toContain('7 still open')
  expect(svg).toContain('2 still open')
})

test('a percentile chart shows the CI of each median, the target and the number of open incidents', () => {
  const { svg } = drawn(
    {
      type: 'percentiles',
      x: ['a', 'b', 'c', 'd', 'e'],
      y: 's',
      n: 'n',
      interval: ['l', 'h'],
      target: 't',
      open: 'o',
      scale: 'log',
    },
    {
      s: 'VARCHAR',
      a: 'DOUBLE',
      b: 'DOUBLE',
      c: 'DOUBLE',
      d: 'DOUBLE',
      e: 'DOUBLE',
      n: 'BIGINT',
      l: 'DOUBLE',
      h: 'DOUBLE',
      t: 'DOUBLE',
      o: 'BIGINT',
    },
    [
      ['Critical', 60, 120, 300, 600, 1200, 40n, 200, 400, 300, 3n],
      ['Ok', 60, 120, 300, 600, 1200, 5n, null, null, null, 0n],
    ],
  )
  expect(count(svg, 'class="bracket"')).toBe(1)
  expect(count(svg, 'class="target"')).toBe(1)
  expect(svg).toMatch(/ · n 40.* · 3 open/)
  expect(svg).not.toContain('>n 40')
  expect(svg).toContain('>n 5 !</text>')
  expect(svg).toContain('95% CI 3\u202fmin\u00a020\u202fs – 6\u202fmin\u00a040\u202fs')
})

test('a survival curve shows its confidence band, and a tick at each censored time', () => {
  const { svg } = drawn(
    { type: 'survival', x: 't', y: 's', band: ['l', 'h'], censored: 'c', scale: 'log' },
    { t: 'DOUBLE', s: 'DOUBLE', l: 'DOUBLE', h: 'DOUBLE', c: 'BIGINT' },
    [
      [60, 0.9, 0.8, 0.95, 0n],
      [600, 0.5, 0.4, 0.6, 2n],
      [6000, 0.2, 0.1, 0.3, 0n],
    ],
  )
  expect(svg).toContain('class="spread"')
  expect(/class="censored" d="([^"]*)"/.exec(svg)![1]).toMatch(/^M[\d.]+ [\d.]+v8$/)
  expect(svg).toContain('50% still open')
})

test('a survival curve labels its median to the upper right, or to the lower left near the right edge', () => {
  const named = (times: number[], value: number) => {
    const { svg } = drawn(
      { type: 'survival', x: 't', y: 's', scale: 'log' },
      { t: 'DOUBLE', s: 'DOUBLE' },
      times.map((time, index) => [time, 1 - (index + 1) / times.length]),
      { rules: [{ label: 'median', value }] },
    )
    const [, end, y] = /class="name( end)?" x=[\d.]+ y=([\d.]+)>median/.exec(svg)!
    const half = Number(/y=([\d.]+)>50%</.exec(svg)![1])
    return { isLeft: end !== undefined, isBelowHalf: Number(y) > half }
  }
  expect(named([600, 6_000, 60_000, 600_000, 6_000_000], 6_000)).toEqual({
    isLeft: false,
    isBelowHalf: false,
  })
  expect(named([60, 500_000, 550_000, 600_000, 650_000], 560_000)).toEqual({
    isLeft: true,
    isBelowHalf: true,
  })
})

test('a heatmap draws one outline around all adjacent working hours', () => {
  const rows = [1n, 2n].flatMap((day) => [8n, 9n].map((hour): Value[] => [hour, day, 3n, true]))
  const spec = { type: 'heatmap', x: 'h', y: 'd', color: 'n', outline: 'w' }
  const { svg, block } = drawn(spec, { h: 'BIGINT', d: 'BIGINT', n: 'BIGINT', w: 'BOOLEAN' }, rows)
  // Two days by two hours have eight outer edges.
  expect(/class="working" d="([^"]*)"/.exec(svg)![1]!.match(/M/g)).toHaveLength(8)
  const { data, columns } = dataOf(block)
  expect(columns.map(({ label }) => label)).toEqual(['h', 'Mon', 'Tue'])
  expect(data.rows).toEqual([
    [8n, 3n, 3n],
    [9n, 3n, 3n],
  ])
})

test('the data table of a chart has a column per series, even if a series is named like another column', () => {
  const spec = { type: 'columns', x: 'week', y: 'n', color: 'c' }
  const { block } = drawn(spec, { week: 'DATE', n: 'BIGINT', c: 'VARCHAR' }, [
    ['2026-10-05', 1n, 'week'],
    ['2026-10-05', 2n, 'Critical'],
    ['2026-10-12', 3n, 'week'],
  ])
  const { data, columns } = dataOf(block)
  expect(columns.map(({ label }) => label)).toEqual(['week', 'Critical', 'week'])
  expect(data.rows).toEqual([
    ['2026-10-05', 2n, 1n],
    ['2026-10-12', null, 3n],
  ])
})

test('a full-width chart is drawn in a wide and a narrow version, a half-width chart only once', () => {
  const rows = weeks.map((week): Value[] => [week, 60])
  const { block } = drawn(line, { week: 'DATE', a: 'DOUBLE' }, rows)
  expect(draw(block, frame, '').map(({ html }) => /class="(\w+)"/.exec(html)![1])).toEqual(['wide', 'narrow'])
  expect(
    draw({ ...block, width: 'half' }, frame, '').map(({ html }) => /class="(\w+)"/.exec(html)![1]),
  ).toEqual(['once'])
})
