import type { Answers } from '../report/ask-queries.ts'
import type { Session } from '../warehouse/read/session.ts'
import { type CardFigure, cardFigures } from './card-figures.ts'
import { type Figures, figuresOf } from './figures.ts'

export interface Judgement {
  readonly figures: Figures
  readonly cards: readonly CardFigure[]
}

/** Assesses each figure separately, before figures are compared with each other. */
export async function judgeFigures(
  session: Session,
  { report, open, results, shapes }: Answers,
): Promise<Judgement> {
  const figures = await figuresOf(session, report, shapes, open.comparable)
  return { figures, cards: cardFigures(report, { results, figures }) }
}
