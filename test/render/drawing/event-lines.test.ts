import { expect, test } from 'vitest'
import { eventLines } from '../../../src/render/drawing/event-lines.ts'
import { textWidth } from '../../../src/render/drawing/plot.ts'
import type { Bucket } from '../../../src/render/drawing/time-axis.ts'
import { render } from '../../../src/render/html.ts'

const day = 86_400_000
const first = Date.UTC(2026, 2, 2)
const buckets = Array.from({ length: 13 }, (_, week): Bucket => {
  const at = new Date(first + 7 * week * day)
  const end = new Date(at.getTime() + 7 * day)
  return {
    key: at.toISOString().slice(0, 10),
    at,
    end,
    previous: false,
    after: false,
    partial: null,
    label: '',
  }
})
const plot = { left: 40, right: 920, top: 40, bottom: 266 }
const at = (bucket: Bucket) => 60 + 65 * buckets.indexOf(bucket)
const dayOf = (days: number) => new Date(first + days * day).toISOString().slice(0, 10)
const drawn = (events: { name: string; day: string }[], narrow = false) =>
  render(eventLines({ events }, buckets, at, plot, { narrow, width: narrow ? 346 : 920 }))
const linesOf = (svg: string) => [...svg.matchAll(/<line [^>]*x1=([\d.]+)/g)].map(([, x]) => Number(x))

test('a chart by week draws the line of an event at its exact day within the week', () => {
  expect(
    linesOf(
      drawn([
        { name: 'a', day: dayOf(14) },
        { name: 'b', day: dayOf(17) },
      ]),
    ),
  ).toEqual([60 + 65 * 1.5, expect.closeTo(60 + 65 * (1.5 + 3 / 7), 0)])
  expect(
    drawn([
      { name: 'before', day: dayOf(-1) },
      { name: 'after', day: dayOf(91) },
    ]),
  ).toBe('')
})

test('the names of nearby events on a chart do not overlap or leave the drawing', () => {
  const events = Array.from({ length: 9 }, (_, k) => ({
    name: `event number ${k} of a week`,
    day: dayOf(84 + (k % 7)),
  }))
  const svg = drawn(events.toSorted((a, b) => (a.day < b.day ? -1 : 1)))
  expect(linesOf(svg)).toHaveLength(9)
  const texts = [...svg.matchAll(/<text class="note( end)?" x=(\d+) y=(\d+)>([^<]*)</g)].map(
    ([, end, x, y, text]) => {
      const width = textWidth(text!)
      return { y: Number(y), from: Number(x) - (end ? width : 0), to: Number(x) + (end ? 0 : width) }
    },
  )
  expect(texts.length).toBeGreaterThan(3)
  for (const [k, one] of texts.entries()) {
    expect(one.to).toBeLessThanOrEqual(plot.right + 1)
    for (const other of texts.slice(k + 1))
      expect(one.y !== other.y || one.to < other.from || other.to < one.from).toBe(true)
  }
})

test('the name of an event on a chart is escaped, and truncated on a phone', () => {
  const svg = drawn([{ name: '<script>alert(1)</script> and more', day: dayOf(30) }], true)
  expect(svg).not.toContain('<script')
  expect(svg).toContain('&lt;script&gt;')
  expect(svg).toContain('…')
})
