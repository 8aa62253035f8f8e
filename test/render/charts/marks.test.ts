import { describe, expect, test } from 'vitest'
import { dataOf } from '../../../src/render/chart-data.ts'
import type { Value } from '../../../src/render/result.ts'
import { count, drawn, line, weeks } from './drawn-chart.ts'

describe('a bar', () => {
  const spec = { type: 'bars', x: 'n', y: 'team', color: 'severity' }
  const columns = { team: 'VARCHAR', severity: 'VARCHAR', n: 'BIGINT' }
  const rows: Value[][] = [
    ['Payments', 'Warning', 30],
    ['Payments', 'Critical', 10],
    ['Checkout', 'Warning', 20],
  ]

  test('has a segment for each severity, worst first, and shows the sum of its segments', () => {
    const { svg, block } = drawn(spec, columns, rows)
    expect(count(svg, 'class="name end"')).toBe(2)
    const parts = [...svg.matchAll(/class="sev\d".*? x=([\d.]+) .*?width=([\d.]+)/g)].map(([, x, width]) => [
      Number(x),
      Number(width),
    ])
    expect(parts).toHaveLength(3)
    expect(parts[1]![0]).toBeCloseTo(parts[0]![0]! + parts[0]![1]!, 0)
    expect(parts[1]![1]! / parts[0]![1]!).toBeCloseTo(3, 1)
    expect(svg).toContain('>40</text>')
    expect(dataOf(block).data.rows).toHaveLength(2)
  })

  test('is drawn separately for each severity if bars are not stacked', () => {
    expect(count(drawn({ ...spec, stack: false }, columns, rows).svg, 'class="name end"')).toBe(3)
  })
})

describe('the median and p90 lines of a histogram', () => {
  const spec = { type: 'histogram', x: ['from', 'to'], y: 'n', format: 'number' }
  const labels = (values: number[]) => {
    const rules = values.map((value, index) => ({ label: ['median', 'p90'][index]!, value }))
    const { svg } = drawn(spec, { from: 'DOUBLE', to: 'DOUBLE', n: 'BIGINT' }, [[0, 100, 5]], { rules })
    return [...svg.matchAll(/<text class="name( end)?" x=([\d.]+) y=(\d+)>([^<]*)</g)].map(
      ([, side, x, y, text]) => ({ side, x: Number(x), y: Number(y), text }),
    )
  }

  test('share one label if their values are equal', () => {
    expect(labels([0, 0]).map(({ text }) => text)).toEqual(['median, p90'])
  })

  test('have labels at different heights if the lines are close together', () => {
    for (const values of [
      [0, 1],
      [99, 100],
    ]) {
      const [a, b] = labels(values)
      expect([a!.side === b!.side, Math.abs(a!.y - b!.y) >= 26]).toEqual([true, true])
    }
    const apart = labels([20, 80])
    expect(apart[0]!.y).toBe(apart[1]!.y)
  })
})

test('a log axis shows round values even if no standard tick is within its range', () => {
  const spec = { type: 'histogram', x: ['from', 'to'], y: 'n', scale: 'log' }
  const day = 86_400
  const { svg } = drawn(spec, { from: 'DOUBLE', to: 'DOUBLE', n: 'BIGINT' }, [
    [110 * day, 150 * day, 4],
    [150 * day, 190 * day, 2],
  ])
  expect(
    [...svg.matchAll(/class="tick middle"[^>]*>([^<]*)</g)].map(([, text]) => text!.replace('\u202f', ' ')),
  ).toEqual(['112 d', '140 d', '168 d'])
})

test('a line chart draws an incomplete week as a hollow point without a connecting line', () => {
  const rows: Value[][] = weeks.map((week, index) => [week, index === 12 ? 1 : 3600])
  const { svg } = drawn({ ...line }, { week: 'DATE', a: 'DOUBLE' }, rows)
  const ends = Number(
    svg
      .match(/class="stroke" d="([^"]*)"/)![1]!
      .split(/[ML]/)
      .at(-1)!
      .split(',')[0],
  )
  const dot = Number(svg.match(/class="dot few f0" cx=([\d.]+)/)![1])
  expect(dot - ends).toBeGreaterThan(20)
  expect(count(svg, 'class="stroke')).toBe(1)
})
