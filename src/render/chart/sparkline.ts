import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import { h, type Markup } from '../html.ts'
import type { Frame, KpiCard } from '../result.ts'

const width = 152
const height = 30

interface Point {
  index: number
  value: number | null
  current: boolean
}

/** The trend of a card: the previous period grey, the current one with a floor, a dot at the newest value. */
export function sparkline(trend: KpiCard['trend'], frame: Frame): Markup | null {
  const points = trend.map(({ at, value }, index): Point => ({ index, value, current: at >= frame.from }))
  const values = points.map(({ value }) => value).filter((value) => value !== null)
  if (values.length < 2) return null
  const x = scaleLinear([0, points.length - 1], [1, width - 5])
  const y = scaleLinear([Math.min(0, ...values), Math.max(...values) || 1], [height - 4, 4])
  const at = ({ index }: Point) => x(index)
  const draw = line<Point>(at, ({ value }) => y(value!))
    .digits(1)
    .defined(({ value }) => value !== null)
  const floor = area<Point>(at, height, ({ value }) => y(value!))
    .digits(1)
    .defined(({ value }) => value !== null)
  const current = points.filter((point) => point.current)
  // One shared point joins the two lines.
  const previous = points.filter(
    (point, index) => !point.current || (index > 0 && !points[index - 1]!.current),
  )
  const last = points.findLast(({ value }) => value !== null)!
  return h(
    'svg',
    { class: 'spark', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
    previous.length > 1 && h('path', { class: 'before', d: draw(previous) }),
    h('path', { class: 'spread', d: floor(current) }),
    h(
      'g',
      { class: 'line l0' },
      h('path', { class: 'stroke', d: draw(current) }),
      h('circle', { class: 'dot d0', cx: at(last), cy: y(last.value!), r: 2.5 }),
    ),
  )
}
