import { utcFormat } from 'd3-time-format'
import { cellsOf } from '../cells.ts'
import { localDate } from '../format.ts'
import { type Child, h } from '../html.ts'
import type { Frame, QueryResult, Value } from '../result-parts.ts'
import { type Plot, textWidth } from './plot.ts'

const day = 86_400_000

/** A day, week or month on the time axis. */
export type Bucket = ReturnType<typeof bucket>

export type PositionOf = (bucket: Bucket) => number

/** Returns the days, weeks or months in a column, sorted by time. Null if the column does not contain dates. */
export function bucketsOf(data: QueryResult, column: string, frame: Frame): Bucket[] | null {
  const x = data.columns.findIndex(({ name }) => name === column)
  if (data.columns[x]?.type !== 'DATE' && !data.columns[x]?.type.startsWith('TIMESTAMP')) return null
  const { value } = cellsOf(data)
  const unit = column === 'week' ? (frame.bucket ?? column) : column
  const found = new Map<string, Bucket>()
  for (const row of data.rows) {
    const key = String(row[x])
    if (row[x] !== null && !found.has(key)) found.set(key, bucket(key, unit, frame, value(row, 'is_partial')))
  }
  return [...found.values()].sort((a, b) => a.at.getTime() - b.at.getTime())
}

function bucket(key: string, unit: string, frame: Frame, flag: Value) {
  /** Start of the day, week or month. Both `at` and `end` are local times stored as UTC. */
  const at = localDate(key)
  const end = endOf(at, unit)
  const running = end > localDate(frame.asOf)
  const partial = running ? ('running' as const) : ('cut' as const)
  return {
    key,
    at,
    end,
    previous: end.toISOString() <= `${frame.from}T00:00:00.000Z`,
    after: key.slice(0, 10) >= frame.to,
    /** `running`: not over yet. `cut`: over, but the data covers only a part. Null: complete. */
    partial: (flag ?? running) ? partial : null,
    label: unit === 'week' ? `Week of ${dayMonth(at)}` : unit === 'month' ? monthYear(at) : dayMonth(at),
  }
}

/** Any unit except month, week and day means an instant, so its end equals its start. */
function endOf(at: Date, unit: string): Date {
  if (unit === 'month') return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1))
  return new Date(at.getTime() + (unit === 'week' ? 7 * day : unit === 'day' ? day : 0))
}

export function partialNote({ partial }: Bucket): string {
  return partial === 'running' ? 'in progress' : 'incomplete'
}

const dayMonth = utcFormat('%-d %b')
const monthYear = utcFormat('%b\u00a0%Y')
const month = utcFormat('%b')

/** Labels days if the axis is short, otherwise months. The first label and the first of each year show the year. */
export function timeTicks(buckets: readonly Bucket[], at: PositionOf, right: number) {
  const [first = new Date(0), last = first] = [buckets[0]?.at, buckets.at(-1)?.at]
  const isShort = last.getTime() - first.getTime() < 45 * day
  const kept = isShort ? everyNth(buckets, at) : everyMonths(buckets, at)
  const ticks = kept.map((bucket, index) => ({
    x: at(bucket),
    label: isShort ? dayMonth(bucket.at) : monthLabel(kept, index),
  }))
  return ticks.filter(({ x, label }) => x + textWidth(label) <= right)
}

function everyNth(buckets: readonly Bucket[], at: PositionOf): readonly Bucket[] {
  for (let step = 1; step < buckets.length; step++) {
    const kept = buckets.filter((_, index) => index % step === 0)
    if (haveRoom(kept, at, () => 52)) return kept
  }
  return buckets.slice(0, 1)
}

function everyMonths(buckets: readonly Bucket[], at: PositionOf): readonly Bucket[] {
  const months = buckets.filter((each, index) => {
    const before = buckets[index - 1]
    // Labels the first month only if the axis shows its first week.
    return before ? before.at.getUTCMonth() !== each.at.getUTCMonth() : each.at.getUTCDate() <= 7
  })
  const from = months.length > 0 ? months : buckets.slice(0, 1)
  for (const step of [1, 2, 3, 4, 6, 12, 24, 60]) {
    const kept = from.filter((each) => (each.at.getUTCFullYear() * 12 + each.at.getUTCMonth()) % step === 0)
    const width = (index: number) => (monthLabel(kept, index).includes('\u00a0') ? 68 : 46)
    if (kept.length > 0 && haveRoom(kept, at, width)) return kept
  }
  return from.slice(0, 1)
}

function haveRoom(kept: readonly Bucket[], at: PositionOf, width: (index: number) => number): boolean {
  return kept.every((each, index) => index === 0 || at(each) - at(kept[index - 1]!) >= width(index - 1))
}

function monthLabel(kept: readonly Bucket[], index: number): string {
  const { at } = kept[index]!
  return kept[index - 1]?.at.getUTCFullYear() === at.getUTCFullYear() ? month(at) : monthYear(at)
}

/** Shades and labels the time outside the period, and notes an incomplete first or last bucket. */
export function periodShades(plot: Plot, buckets: readonly Bucket[], at: PositionOf, unit: string): Child {
  const between = (index: number) => (at(buckets[index - 1]!) + at(buckets[index]!)) / 2
  const start = buckets.findIndex(({ previous }) => !previous)
  const after = buckets.findIndex((each) => each.after)
  const [first, last] = [buckets[0], buckets.at(-1)]
  const before = start > 0 ? (unit === 'month' ? 'earlier' : 'previous period') : ''
  const incomplete = first?.partial && first !== last ? 'first incomplete' : ''
  const named = [before, before && 'earlier', ''].map((name) => [name, incomplete].filter(Boolean).join(', '))
  // A bucket in progress already has a note, so it does not need the note `after the period`.
  const right =
    after >= 0 && after < buckets.length - 1 ? 'after the period' : last?.partial ? partialNote(last) : ''
  const room = plot.right - plot.left - textWidth(right) - 12
  const left = named.find((text) => textWidth(text) <= room) ?? ''
  const height = plot.bottom - plot.top + 6
  const shade = (from: number, to: number) =>
    h('rect', { class: 'previous', x: from, y: plot.top - 6, width: to - from, height })
  const y = plot.top - 12
  return [
    start > 0 && shade(plot.left, between(start)),
    after > 0 && shade(between(after), plot.right),
    left !== '' && h('text', { class: 'note', x: plot.left, y }, left),
    right !== '' && h('text', { class: 'note end', x: plot.right, y }, right),
  ]
}
