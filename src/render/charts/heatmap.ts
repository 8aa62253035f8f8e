import { sum } from 'd3-array'
import { scaleBand, scaleLinear } from 'd3-scale'
import { z } from 'zod'
import { cellsOf } from '../cells.ts'
import type { Chart } from '../chart.ts'
import { numbersOf, rangeWords } from '../chart-description.ts'
import { boxPath, hover, readLine, type Size, textWidth } from '../drawing/plot.ts'
import { countText, figureText } from '../format.ts'
import { type Child, h, round } from '../html.ts'
import type { QueryResult } from '../result-parts.ts'
import { format, name, optionalName } from '../spec.ts'
import { pad } from '../terminal/paint.ts'
import { linkTo } from '../text.ts'

const heatmapSpec = z.strictObject({
  type: z.literal('heatmap'),
  x: name,
  y: name,
  color: name,
  /** A Boolean column. Cells for which it is true are outlined, such as those in working hours. */
  outline: optionalName,
  format: format.default('number'),
})

type HeatmapSpec = z.output<typeof heatmapSpec>

/** A grid of weekdays and hours. On phones, hours run from top to bottom, which leaves room for the numbers. */
export const heatmap = {
  spec: heatmapSpec,
  label: 'Heat map by weekday and hour',
  axes: 'x is the hour, 0 to 23, as in hour(…). y is the weekday as in isodow(…), where 1 is Monday. color is the count.',
  columns: ({ x, y, color, outline }) => ({
    measured: [color],
    numbers: [x, y],
    others: [outline],
    drawn: outline,
  }),
  series: ({ x, y, color }) => ({ x, y: color, by: y, label: (day) => weekdays[Number(day) - 1] ?? day }),
  counts: ({ color }) => color,
  draw({ data, spec, links }, _, size) {
    const { counts, outlined, rows } = hoursOf(data, spec)
    // On a phone, the cells are too small to tap, so only the data table has links.
    const address = (day: number, hour: number) => linkTo(links, rows[day]![hour]!)
    return size.narrow ? upright(counts, outlined, size) : lying(counts, outlined, size, address)
  },
  // The wide drawing has 7 rows, one per day. The drawing for phones has 24 rows, one per hour.
  height: (_, isNarrow) => (isNarrow ? 480 : 276),
  isNarrowWhenCompact: true,
  describe({ data, spec }, frame) {
    const range = rangeWords('', numbersOf(data, spec.color), figureText(spec.format, frame))
    return `${range} per hour of the week`
  },
  terminal({ data, spec }, _, { paint }) {
    const { counts } = hoursOf(data, spec)
    const highest = Math.max(1, ...counts.flat())
    const shade = (count: number) => ' ░▒▓█'[count === 0 ? 0 : Math.ceil((count / highest) * 4)]!.repeat(2)
    const marks = Array.from({ length: 8 }, (_, index) => pad(`${String(index * 3).padStart(2, '0')}h`, 6))
    return [
      paint('dim', `    ${marks.join('')}`.trimEnd()),
      ...counts.map((row, day) => `${weekdays[day]} ${row.map(shade).join('')} ${sum(row)}`),
    ]
  },
} satisfies Chart<HeatmapSpec>

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const hours = Array.from({ length: 24 }, (_, hour) => hour)
const shades = [0, 1, 2, 3, 4, 5]

function hoursOf(data: QueryResult, spec: HeatmapSpec) {
  const cells = cellsOf(data)
  const counts = weekdays.map(() => hours.map(() => 0))
  const outlined = weekdays.map(() => hours.map(() => false))
  const rows = weekdays.map(() => hours.map((): QueryResult['rows'][number][] => []))
  for (const row of data.rows) {
    const day = (cells.number(row, spec.y) ?? 0) - 1
    const hour = cells.number(row, spec.x) ?? -1
    if (counts[day]?.[hour] === undefined) continue
    rows[day]![hour]!.push(row)
    counts[day][hour] += cells.number(row, spec.color) ?? 0
    if (spec.outline !== null && cells.isTrue(row, spec.outline)) outlined[day]![hour] = true
  }
  return { counts, outlined, rows }
}

type Outlined = readonly (readonly boolean[])[]
type Address = (day: number, hour: number) => string | null

interface Grid {
  x: (day: number, hour: number) => number
  y: (day: number, hour: number) => number
  width: number
  height: number
}

function lying(counts: readonly number[][], outlined: Outlined, size: Size, address: Address): Child {
  const byDay = counts.map((row) => sum(row))
  // Each day’s row ends with a bar of at most 26 pixels and the total.
  const totals = Math.max(...byDay.map((count) => textWidth(countText(count))))
  const [left, right, top, bottom] = [36, size.width - 38 - totals, 32, 242]
  const x = scaleBand(hours, [left, right]).paddingInner(0.06)
  const y = scaleBand([...weekdays.keys()], [top, bottom]).paddingInner(0.06)
  const middle = (day: number) => y(day)! + y.bandwidth() / 2
  const byHour = hours.map((hour) => sum(counts.map((row) => row[hour]!)))
  const across = scaleLinear([0, Math.max(1, ...byDay)], [0, 26])
  const down = scaleLinear([0, Math.max(1, ...byHour)], [0, 26])
  const cell = { width: x.bandwidth(), height: y.bandwidth() }
  const grid: Grid = { x: (_, hour) => x(hour)!, y: (day) => y(day)!, ...cell }
  const floor = bottom + 5
  return [
    hours
      .filter((hour) => hour % 3 === 0)
      .map((hour) => h('text', { class: 'tick', x: x(hour)!, y: 24 }, clock(hour))),
    weekdays.map((name, day) => h('text', { class: 'tick end', x: left - 8, y: middle(day) + 4 }, name)),
    cellMarks(counts, grid),
    h('path', {
      class: 'grey',
      d: boxPath([
        ...byDay.map((n, day) => ({ x: right + 6, width: across(n), y: middle(day) - 6, height: 12 })),
        ...byHour.map((n, hour) => ({ x: x(hour)!, width: x.bandwidth(), y: floor, height: down(n) })),
      ]),
    }),
    byDay.map((count, day) =>
      h('text', { class: 'tick', x: right + 10 + across(count), y: middle(day) + 4 }, countText(count)),
    ),
    outline(outlined, grid, false),
    hours.map((hour) => {
      const band = { x: x(hour)!, width: x.step(), y: top, height: floor + 26 - top }
      const place = { x: left, room: size.width - left }
      const words = readLine(place, `${clock(hour)} to ${clock(hour + 1)} · `, countText(byHour[hour]!))
      const shown = hover(size, band, null, words, cellLinks(hour, grid, address))
      // With `isOverlay`, `chart-drawing.ts` moves the links out of the image.
      return shown && { ...shown, isOverlay: true }
    }),
  ]
}

function upright(counts: readonly number[][], outlined: Outlined, size: Size): Child {
  const [left, right, top, bottom] = [44, size.width - 46, 22, 454]
  const x = scaleBand([...weekdays.keys()], [left, right]).paddingInner(0.05)
  const y = scaleBand(hours, [top, bottom]).paddingInner(0.06)
  const byHour = hours.map((hour) => sum(counts.map((row) => row[hour]!)))
  const across = scaleLinear([0, Math.max(1, ...byHour)], [0, 40])
  const middle = (day: number) => x(day)! + x.bandwidth() / 2
  const cell = { width: x.bandwidth(), height: y.bandwidth() }
  const grid: Grid = { x: (day) => x(day)!, y: (_, hour) => y(hour)!, ...cell }
  return [
    weekdays.map((name, day) => h('text', { class: 'tick middle', x: middle(day), y: 14 }, name)),
    hours
      .filter((hour) => hour % 3 === 0)
      .map((hour) => h('text', { class: 'tick end', x: left - 8, y: y(hour)! + 13 }, clock(hour))),
    cellMarks(counts, grid),
    h('path', {
      class: 'grey',
      d: boxPath(
        byHour.map((count, hour) => ({ x: right + 6, width: across(count), y: y(hour)! + 3, height: 11 })),
      ),
    }),
    counts.map((row, day) =>
      h('text', { class: 'tick middle', x: middle(day), y: bottom + 16 }, countText(sum(row))),
    ),
    outline(outlined, grid, true),
  ]
}

function cellLinks(hour: number, { x, y, width, height }: Grid, address: Address): Child {
  return weekdays.map((_, day) => {
    const href = address(day, hour)
    const [left, top] = [Math.round(x(day, hour)), Math.round(y(day, hour))]
    const box = { x: left, width: Math.round(width), y: top, height: Math.round(height) }
    return href !== null && h('a', { href, tabindex: -1 }, h('path', { d: boxPath([box]) }))
  })
}

function cellMarks(counts: readonly number[][], { x, y, width, height }: Grid): Child {
  const highest = Math.max(1, ...counts.flat())
  const all = counts.flatMap((row, day) =>
    row.map((count, hour) => ({
      count,
      shade: count === 0 ? 0 : Math.ceil((count / highest) * (shades.length - 1)),
      box: { x: x(day, hour), width, y: y(day, hour), height },
    })),
  )
  const numbers = (kept: typeof all) =>
    kept.map(({ count, box }) =>
      h('text', { x: box.x + width / 2, y: Math.round(box.y + height / 2 + 4) }, count),
    )
  const seen = all.filter(({ count }) => count > 0)
  return [
    shades.map((shade) => {
      const boxes = all.filter((cell) => cell.shade === shade).map(({ box }) => box)
      return boxes.length > 0 && h('path', { class: `h${shade}`, d: boxPath(boxes) })
    }),
    h('g', { class: 'cell' }, numbers(seen.filter(({ shade }) => shade <= 3))),
    h('g', { class: 'cell t1' }, numbers(seen.filter(({ shade }) => shade > 3))),
  ]
}

function outline(outlined: Outlined, { x, y, width, height }: Grid, isUpright: boolean): Child {
  const is = (day: number, hour: number) => outlined[day]?.[hour] === true
  const d = outlined.flatMap((row, day) =>
    row.flatMap((here, hour) => {
      if (!here) return []
      const [left, top] = [round(x(day, hour) - 1), round(y(day, hour) - 1)]
      const [across, down] = [round(width + 2), round(height + 2)]
      // In the wide grid, hours run to the right. In the upright grid for phones, hours run downward.
      const [before, after, above, below] = isUpright
        ? [is(day - 1, hour), is(day + 1, hour), is(day, hour - 1), is(day, hour + 1)]
        : [is(day, hour - 1), is(day, hour + 1), is(day - 1, hour), is(day + 1, hour)]
      return [
        before ? '' : `M${left} ${top}v${down}`,
        after ? '' : `M${round(left + across)} ${top}v${down}`,
        above ? '' : `M${left} ${top}h${across}`,
        below ? '' : `M${left} ${round(top + down)}h${across}`,
      ]
    }),
  )
  return d.length > 0 && h('path', { class: 'working', d: d.join('') })
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`
}
