import { figureText } from '../render/format.ts'
import type { Inline, TableBlock } from '../render/result.ts'
import { columnSpec } from '../render/spec.ts'
import type { BlockSource } from '../report/parse/block-source.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import { comparisonsOf } from './compare-events.ts'
import type { ResolveContext } from './draw-text.ts'
import { besideWords, eventFigure, eventScope, measureNames, noEvent } from './sentences/event-sentences.ts'

const columns = ['event', 'figure', 'before', 'since', 'others_before', 'others_since', 'said'] as const
const labels = [
  'Event',
  'Metric',
  'Before',
  'After',
  'Other teams before',
  'Other teams after',
  'Result',
] as const

/** Builds the table of changes since an event. It contains the same sentences as `faultline compare`. */
export function resolveCompare(
  { data: name, event }: Extract<BlockSource, { kind: 'compare' }>,
  { results, context }: ResolveContext,
): TableBlock {
  const result = results.get(name)!
  const found = comparisonsOf(objectsOf(result as never))
  const text = (words: string): Inline[] => (words === '' ? [] : [{ kind: 'text', text: words }])
  const date = figureText('date', { timezone: 'UTC' })
  const one = event === null ? undefined : found[0]
  const rows = found.flatMap((comparison) =>
    comparison.changes.map((change) => {
      const figure = (value: number | null) => eventFigure(change, value, context)
      const { others } = change
      return [
        ...[`${comparison.event}, ${date(comparison.day)}`, measureNames[change.measure]],
        ...[figure(change.before), figure(change.value)],
        ...(others ? [figure(others.before), figure(others.value)] : ['', '']),
        change.sentence,
      ]
    }),
  )
  const shown = columns.filter(
    (column, place) => !(column === 'event' && one) && rows.some((row) => row[place] !== ''),
  )
  return {
    kind: 'table',
    title: text(one ? `Since ${one.event}, ${date(one.day)}` : 'Changes since events'),
    subtitle: text(one ? `${eventScope(one)}. ${besideWords(one)}`.trim() : ''),
    columns: shown.map((column) => ({
      ...columnSpec.parse({
        column,
        wrap: column === 'said' || column === 'event',
        // A phone has room for the sentence and one more column: a figure, or the event if there are several.
        priority: (one ? /before|others/ : /before|since/).test(column) ? 2 : 1,
      }),
      label: labels[columns.indexOf(column)]!,
      format: 'text' as const,
    })),
    data: { ...result, columns: columns.map((column) => ({ name: column, type: 'VARCHAR' })), rows },
    empty: noEvent(event),
    limit: 100,
  }
}
