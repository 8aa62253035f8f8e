import { format, numberOf, plain } from '../render/format.ts'
import type { Inline, QueryResult } from '../render/result.ts'
import { changeOf, type Ground } from './change.ts'
import { cell, pairOf } from './figure.ts'
import { fewestToJudge, usualRange } from './statistics/usual-range.ts'
import type { Tag } from './tag.ts'
import type { Template } from './template.ts'

/** What resolving a block needs: results by name, and the ground on which changes are judged. */
export interface Evidence extends Ground {
  results: ReadonlyMap<string, QueryResult>
  /** Weeks that are over and wholly covered, as local dates. */
  wholeWeeks: ReadonlySet<string>
}

/** Puts values where the tags stand. A value is always a text node, whatever it holds. */
export function resolveText(template: readonly Template[], evidence: Evidence): Inline[] {
  return template.map((node): Inline => {
    if (node.kind === 'tag') return resolveTag(node.tag, evidence)
    return 'content' in node ? { ...node, content: resolveText(node.content, evidence) } : node
  })
}

function resolveTag({ query, column, as, at }: Tag, evidence: Evidence): Inline {
  const result = evidence.results.get(query)!
  if (as.kind === 'usual') return { kind: 'text', text: usual(result, column, evidence) }
  const pair = pairOf(result, at)
  if (as.kind === 'plain') {
    const value = cell(result, pair.now, column)
    // Text may be a whole sentence: it breaks over lines, and an empty one adds nothing. A missing value is a dash.
    if (as.format === 'text' && typeof value === 'string') return { kind: 'text', text: value }
    return { kind: 'value', parts: format(value, as.format, evidence.context) }
  }
  const { words, tone } = changeOf(result, column, pair, as.better, evidence)
  return { kind: 'value', parts: [{ text: words }], tone }
}

/**
 * `31 in the last whole week; usual 18–41, nothing unusual`, from all whole weeks of a query with a week column; from
 * fewer than 12 only the count.
 */
function usual(result: QueryResult, column: string, { wholeWeeks, context }: Evidence): string {
  const points = result.rows
    .filter((row) => wholeWeeks.has(String(cell(result, row, 'week'))))
    .toSorted((a, b) => (String(cell(result, a, 'week')) < String(cell(result, b, 'week')) ? -1 : 1))
    .map((row) => numberOf(cell(result, row, column)))
    .filter((value) => value !== null)
  const last = points.at(-1)
  if (last === undefined) return 'no whole week yet'
  const number = (value: number) => plain(format(value, 'number', context))
  const start = `${number(last)} in the last whole week`
  // Below that, another report with more weeks would call another range usual for the same week.
  const range = points.length < fewestToJudge ? null : usualRange(points, { floor: 0 })
  if (!range) return start
  // Counts are whole: what lies inside the limits is what a reader may see in a usual week.
  const low = Math.ceil(range.low)
  const high = Math.floor(range.high)
  const verdict =
    last > range.high ? 'unusually many' : last < range.low ? 'unusually few' : 'nothing unusual'
  return `${start}; usual ${number(low)}\u2060–\u2060${number(high)}, ${verdict}`
}
