import { type Child, h } from '../html.ts'
import { type Bucket, partialNote } from './buckets.ts'
import type { Plot } from './plot.ts'

/** The shade behind what was before the period, up to `end` pixels; months may reach back beyond the previous one. */
export function previousShade(plot: Plot, end: number | null, unit: string): Child {
  if (end === null) return null
  const height = plot.bottom - plot.top + 6
  return [
    h('rect', { class: 'previous', x: plot.left, y: plot.top - 6, width: end - plot.left, height }),
    h(
      'text',
      { class: 'note', x: plot.left, y: plot.top - 12 },
      unit === 'month' ? 'before' : 'previous period',
    ),
  ]
}

/** Says above the last bucket that it is not whole; nothing when it is. */
export function partialLabel(last: Bucket | null | undefined, plot: Plot): Child {
  if (!last?.partial) return null
  return h('text', { class: 'note end', x: plot.right, y: plot.top - 12 }, partialNote(last))
}

/** A dashed line across the plot for each target, with its name and figure above it at the left. */
export function targetLines(
  rules: readonly { label: string; value: number }[],
  y: (value: number) => number,
  plot: Plot,
  show: (value: number) => string,
): Child {
  return rules.map(({ label, value }) => [
    h('line', { class: 'target', x1: plot.left, x2: plot.right, y1: y(value), y2: y(value) }),
    h('text', { class: 'note strong', x: plot.left + 6, y: y(value) - 5 }, `${label} ${show(value)}`),
  ])
}
