import type { Value, Verdicts } from '../../render/result.ts'
import type { Reference } from '../parse/block-schema.ts'
import { cardsOf, type Report } from '../parse/parse.ts'
import { comparedIn, unknownBefore } from './change.ts'
import { pairOf } from './figure.ts'
import { figuresShown } from './figures.ts'
import type { ResolveContext } from './resolve-text.ts'

const texts = ['figure', 'label', 'measure']
const figures = ['value', 'low', 'high', 'n', 'before', 'change', 'change_low', 'change_high']
const columns = [...texts, ...figures, 'verdict'].map((name) => ({
  name,
  type: figures.includes(name) ? 'DOUBLE' : 'VARCHAR',
}))

/**
 * What a report says of the change of each figure, cards and prose, as a table: value, 95 % interval, the period before,
 * the change (of shares the difference, else the part; of counts a day) with its interval, and the verdict.
 */
export function verdictsOf(report: Report, known: ResolveContext): Verdicts {
  const cards = cardsOf(report).map(({ card }) => card)
  const rows = figuresShown(report).flatMap((reference) => {
    const judged = known.figures.of(reference)
    const result = known.results.get(reference.query)!
    if (!judged || !result.columns.some(({ name }) => name === 'period')) return []
    const { now, before } = comparedIn(result, reference.column, pairOf(result, reference.at), judged)
    // Its card is a dash, of which nothing is said.
    if (now === null) return []
    const isJudged = known.comparable && judged.isJudged
    const change = isJudged ? [judged.moved, ...(judged.movedInterval ?? [null, null])] : [null, null, null]
    return [
      [
        nameOf(reference),
        cards.find((card) => nameOf(card.value) === nameOf(reference))?.label ?? null,
        judged.measure,
        now,
        ...(judged.interval ?? [null, null]),
        judged.n,
        known.comparable ? before : null,
        ...change,
        known.comparable ? judged.verdict : unknownBefore,
      ] as Value[],
    ]
  })
  return { columns, rows }
}

/** How many of them are verdicts: something was compared. */
export function judgedIn({ rows }: Verdicts): number {
  return rows.filter((row) => !/compare/.test(String(row.at(-1)))).length
}

const nameOf = ({ query, column }: Reference) => `${query}.${column}`
