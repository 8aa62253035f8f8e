import { isCompared } from '../judge/change-verdict.ts'
import { comparedIn, pairOf } from '../judge/figure-values.ts'
import { figuresShown } from '../judge/figures.ts'
import type { Value, Verdicts } from '../render/result.ts'
import type { Reference } from '../report/parse/block-schema.ts'
import { cardsOf, type Report } from '../report/parse/parse.ts'
import type { ResolveContext } from './draw-text.ts'
import { verdictWords } from './sentences/verdict-sentences.ts'

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

/** The column `change` is a difference for shares, and otherwise relative. For counts, it compares daily rates. */
export function verdictsOf(
  report: Report,
  known: Pick<ResolveContext, 'results' | 'figures' | 'context'>,
): Verdicts {
  const cards = cardsOf(report).map(({ card }) => card)
  const rows = figuresShown(report).flatMap((reference) => {
    const judged = known.figures.of(reference)
    const result = known.results.get(reference.query)!
    if (!judged || !result.columns.some(({ name }) => name === 'period')) return []
    const { now, before } = comparedIn(result, reference.column, pairOf(result, reference.at), judged)
    // Without a current value, there is no change, and the card shows a dash.
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
        // Shows the previous value even if it was not compared, unless the previous period was not read.
        verdict.code === 'unread' ? null : before,
        ...change,
        verdictWords(verdict, judged.measure, known.context),
        verdict.code,
      ] as Value[],
    ]
  })
  return { columns, rows }
}

const nameOf = ({ query, column }: Reference) => `${query}.${column}`
