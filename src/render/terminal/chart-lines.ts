import { cellsOf } from '../cells.ts'
import { inOrder } from '../chart/category.ts'
import { usualLimits } from '../chart/control.ts'
import { hoursOf, weekdays } from '../chart/heatmap.ts'
import { bucketsOf, partialNote } from '../chart/time-axis.ts'
import { figureText } from '../format.ts'
import type { QueryResult } from '../result/query-result.ts'
import type { Frame } from '../result/report-frame.ts'
import type { ChartBlock } from '../result.ts'
import { sparks } from '../spark.ts'
import type { ColumnsSpec, Format, HeatmapSpec } from '../spec.ts'
import { bar, categoryStyle, pad, safe, type Terminal, thinned } from './paint.ts'

interface Row {
  name: string
  style: string
  values: (number | null)[]
}

/** A chart in characters: a line of sparks for each series, or a bar for each row. */
export function chartLines(block: ChartBlock, frame: Frame, terminal: Terminal): string[] {
  const { spec, data } = block
  const cells = cellsOf(data)
  const show = (value: number | null, as: Format = spec.format) => safe(figureText(as, frame)(value))
  switch (spec.type) {
    case 'line': {
      const names = spec.labels ?? spec.y
      const rows = spec.y.map((column, index) => ({
        name: names[index] ?? column,
        style: '',
        values: data.rows.map((row) => cells.number(row, column)),
      }))
      return seriesLines(rows, block, frame, terminal, show)
    }
    case 'control': {
      const values = data.rows.map((row) => cells.number(row, spec.y))
      const lines = seriesLines([{ name: spec.y, style: '', values }], block, frame, terminal, show)
      const limits = block.usual && usualLimits(block.usual, spec.format)
      const usual = limits
        ? `usual ${show(limits.low)} – ${show(limits.high)}, ${block.usual!.note}`
        : 'too few points for a usual range'
      return [...lines, terminal.paint('dim', `${' '.repeat(15)}${usual}`)]
    }
    case 'columns':
      return seriesLines(categoryRows(spec, data, frame), block, frame, terminal, show)
    case 'bars':
      return barLines(
        data.rows.map((row) => ({ name: cells.text(row, spec.y), value: cells.number(row, spec.x) })),
        terminal,
        show,
      )
    case 'percentiles':
      return data.rows.map((row) => {
        const [, p25, median, p75, p90] = spec.x.map((column) => cells.number(row, column))
        const name = safe(cells.text(row, spec.y))
        const [low, high] = spec.interval?.map((column) => cells.number(row, column)) ?? []
        const interval = low == null || high == null ? '' : ` (95 % ${show(low)} – ${show(high)})`
        const figures = `median ${show(median ?? null)}${interval}, half ${show(p25 ?? null)} – ${show(p75 ?? null)}, p90 ${show(p90 ?? null)}`
        return `${terminal.paint(categoryStyle(name), pad(name, 12))} ${median == null ? 'none' : figures}`
      })
    case 'histogram':
      return barLines(
        data.rows.map((row) => ({
          name: cells.number(row, spec.x[1]) === 0 ? show(0) : `${show(cells.number(row, spec.x[0]))} –`,
          value: cells.number(row, spec.y),
        })),
        terminal,
        (value) => show(value, 'number'),
      )
    case 'survival': {
      const shares = data.rows.map((row) => cells.number(row, spec.y))
      const [first, last] = [data.rows[0]!, data.rows.at(-1)!].map((row) => show(cells.number(row, spec.x)))
      const marks = block.rules.map(({ label, value }) => `, ${label} ${show(value)}`)
      return [
        sparks(thinned(shares, terminal.width - 4)),
        terminal.paint('dim', `still open after ${first} to ${last}${marks.join('')}`),
      ]
    }
    case 'heatmap':
      return heatLines(spec, data, terminal)
  }
}

function categoryRows(spec: ColumnsSpec, data: QueryResult, frame: Frame): Row[] {
  const cells = cellsOf(data)
  const by = spec.color ?? spec.facet
  const keys = bucketsOf(data, spec.x, frame)?.map(({ key }) => key) ?? [
    ...new Set(data.rows.map((row) => cells.text(row, spec.x))),
  ]
  const names = by === null ? [spec.y] : inOrder(data.rows.map((row) => cells.text(row, by)))
  return names.map((name) => {
    const values = new Map(
      data.rows
        .filter((row) => by === null || cells.text(row, by) === name)
        .map((row) => [cells.text(row, spec.x), cells.number(row, spec.y)]),
    )
    return { name, style: name, values: keys.map((key) => values.get(key) ?? null) }
  })
}

function seriesLines(
  rows: readonly Row[],
  { data, spec }: ChartBlock,
  frame: Frame,
  { width, paint }: Terminal,
  show: (value: number | null) => string,
): string[] {
  const buckets = typeof spec.x === 'string' ? (bucketsOf(data, spec.x, frame) ?? []) : []
  const room = Math.max(10, width - 34)
  const whole = buckets.findLastIndex(({ partial }) => !partial)
  const places = rows.map(({ values }) =>
    values.findLastIndex((value, index) => value !== null && !buckets[index]?.partial),
  )
  const isOlder = places.some((place) => place >= 0 && place < whole)
  const drawn = rows.map(({ name, style, values }, row) => {
    const last = values[places[row]!] ?? null
    return `${pad(safe(name), 14)} ${paint(categoryStyle(style), pad(sparks(thinned(values, room)), Math.min(room, values.length)))} ${show(last)}`
  })
  const first = buckets[0]?.label
  const last = buckets.at(-1)
  const axis =
    first && last
      ? [
          paint(
            'dim',
            `${' '.repeat(15)}${first} to ${last.label.replace('Week of ', '')}${last.partial ? ` (${partialNote(last)}; figures are of the last complete one${isOlder ? ' that has any' : ''})` : ''}`,
          ),
        ]
      : []
  return [...drawn, ...axis]
}

function barLines(
  rows: readonly { name: string; value: number | null }[],
  { width, paint }: Terminal,
  show: (value: number | null) => string,
): string[] {
  const highest = Math.max(Number.MIN_VALUE, ...rows.map(({ value }) => value ?? 0))
  const room = Math.max(10, width - 32)
  return rows.map(
    ({ name, value }) =>
      `${pad(safe(name), 16, 'right')} ${paint('blue', bar((value ?? 0) / highest, room))} ${show(value)}`,
  )
}

function heatLines(spec: HeatmapSpec, data: QueryResult, { paint }: Terminal): string[] {
  const { counts } = hoursOf(data, spec)
  const highest = Math.max(1, ...counts.flat())
  const shade = (count: number) => ' ░▒▓█'[count === 0 ? 0 : Math.ceil((count / highest) * 4)]!.repeat(2)
  const hours = Array.from({ length: 8 }, (_, index) => pad(`${String(index * 3).padStart(2, '0')}h`, 6))
  const head = paint('dim', `    ${hours.join('')}`.trimEnd())
  return [
    head,
    ...counts.map(
      (row, day) =>
        `${weekdays[day]} ${row.map(shade).join('')} ${row.reduce((sum, count) => sum + count, 0)}`,
    ),
  ]
}
