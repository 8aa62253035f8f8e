import type { Value, Verdicts } from '../../render/result.ts'
import { isCompared, type Verdict, verdictWords } from '../judge.ts'
import type { Reference } from '../parse/block-schema.ts'
import { cardsOf, type Report } from '../parse/parse.ts'
import { comparedIn } from './change.ts'
import { pairOf } from './figure.ts'
import { figuresShown } from './figures.ts'
import type { ResolveContext } from './resolve-text.ts'

const texts = ['figure', 'label', 'measure']
const figures = [
  'value',
  'low',
  'high',
  'n',
  'before',
  'change',
  'change_low',
  'change_high',
  'could_show',
  'change_at_mix',
  'lag',
]
const columns = [...texts, ...figures, 'mix', 'verdict', 'code'].map((name) => ({
  name,
  type: figures.includes(name) ? 'DOUBLE' : 'VARCHAR',
}))

/**
 * What a report says of the change of each figure, cards and prose, as a table: value, 95 % interval, the period before,
 * the change (of shares the difference, else the part; of counts a day) with its interval, the smallest that would have shown, of
 * durations the change at the same mix of severities and what it makes of the other, the verdict, and its code, see `judge.ts`.
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
    const { verdict, basis } = judged
    const change = isCompared(verdict)
      ? [
          judged.moved,
          ...(judged.movedInterval ?? [null, null]),
          ...[basis?.couldShow ?? null, basis?.movedAtMix ?? null, basis?.lag ?? null, basis?.mix ?? null],
        ]
      : Array<null>(7).fill(null)
    return [
      [
        nameOf(reference),
        cards.find((card) => nameOf(card.value) === nameOf(reference))?.label ?? null,
        judged.measure,
        now,
        ...(judged.interval ?? [null, null]),
        judged.n,
        // What a silence or a burst is held against is there to be read; what was not read is not.
        verdict.code === 'unread' ? null : before,
        ...change,
        verdictWords(verdict, judged.measure, known.context),
        verdict.code,
      ] as Value[],
    ]
  })
  return { columns, rows }
}

/** How many of them are verdicts: something was compared, so that there is a change. */
export function judgedIn({ rows }: Verdicts): number {
  return rows.filter((row) => isCompared({ code: row.at(-1) } as Verdict)).length
}

const nameOf = ({ query, column }: Reference) => `${query}.${column}`
