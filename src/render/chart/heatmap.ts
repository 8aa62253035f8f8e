import { scaleBand, scaleLinear } from 'd3-scale'
import type { HeatmapSpec } from '../chart-spec.ts'
import { h, type Markup } from '../html.ts'
import type { ChartBlock, Frame } from '../result.ts'
import { drawing, hover, type Size } from './plot.ts'
import { columnsOf } from './read.ts'

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const hours = Array.from({ length: 24 }, (_, hour) => hour)
const shades = 6

/** Weekday by hour with the numbers in the cells, and totals at the right and below. Working hours are dashed. */
export function heatmap(
  { data, spec }: ChartBlock & { spec: HeatmapSpec },
  _frame: Frame,
  size: Size,
  sentence: string,
): Markup {
  const cells = columnsOf(data)
  const counts = weekdays.map(() => hours.map(() => 0))
  for (const row of data.rows) {
    const day = (cells.number(row, spec.y) ?? 0) - 1
    const hour = cells.number(row, spec.x) ?? -1
    if (counts[day]?.[hour] !== undefined) counts[day][hour] += cells.number(row, spec.color) ?? 0
  }
  const highest = Math.max(1, ...counts.flat())
  const left = 36
  const right = size.width - (size.narrow ? 30 : 58)
  const x = scaleBand(hours, [left, right]).paddingInner(0.06)
  const rowHeight = size.narrow ? 22 : 30
  const y = scaleBand([0, 1, 2, 3, 4, 5, 6], [32, 32 + 7 * rowHeight]).paddingInner(0.06)
  const shade = (count: number) => (count === 0 ? 0 : Math.ceil((count / highest) * (shades - 1)))
  const byDay = counts.map((row) => row.reduce((sum, count) => sum + count, 0))
  const byHour = hours.map((hour) => counts.reduce((sum, row) => sum + row[hour]!, 0))
  const across = scaleLinear([0, Math.max(1, ...byDay)], [0, 26])
  const down = scaleLinear([0, Math.max(1, ...byHour)], [0, 26])
  const floor = 32 + 7 * rowHeight + 5
  const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`
  return drawing(
    size,
    sentence,
    hours
      .filter((hour) => hour % (size.narrow ? 6 : 3) === 0)
      .map((hour) => h('text', { class: 'tick', x: x(hour)!, y: 24 }, clock(hour))),
    counts.map((row, day) => [
      h('text', { class: 'tick end', x: left - 8, y: y(day)! + y.bandwidth() / 2 + 4 }, weekdays[day]!),
      row.map((count, hour) => [
        h('rect', {
          class: `heat h${shade(count)}`,
          x: x(hour)!,
          width: x.bandwidth(),
          y: y(day)!,
          height: y.bandwidth(),
          rx: 1.5,
        }),
        count > 0 &&
          !size.narrow &&
          h(
            'text',
            {
              class: `cell t${shade(count) > 3 ? 1 : 0}`,
              x: x(hour)! + x.bandwidth() / 2,
              y: y(day)! + y.bandwidth() / 2 + 4,
            },
            count,
          ),
      ]),
      !size.narrow &&
        h('rect', {
          class: 'grey',
          x: right + 6,
          width: across(byDay[day]!),
          y: y(day)! + y.bandwidth() / 2 - 6,
          height: 12,
        }),
      h(
        'text',
        {
          class: 'tick',
          x: right + (size.narrow ? 6 : 10 + across(byDay[day]!)),
          y: y(day)! + y.bandwidth() / 2 + 4,
        },
        byDay[day]!,
      ),
    ]),
    hours.map((hour) =>
      h('rect', { class: 'grey', x: x(hour)!, width: x.bandwidth(), y: floor, height: down(byHour[hour]!) }),
    ),
    h('rect', {
      class: 'working',
      x: x(8)! - 1,
      width: x(18)! + x.bandwidth() - x(8)! + 2,
      y: y(0)! - 1,
      height: y(4)! + y.bandwidth() - y(0)! + 2,
    }),
    counts.map((row, day) =>
      row.map((count, hour) =>
        hover(
          { x: x(hour)!, width: x.step(), y: y(day)!, height: y.step() },
          h(
            'text',
            { class: 'read', x: left, y: 10 },
            h('tspan', {}, `${weekdays[day]} ${clock(hour)} · `),
            h('tspan', { class: 'strong' }, `${count}`),
          ),
        ),
      ),
    ),
  )
}
