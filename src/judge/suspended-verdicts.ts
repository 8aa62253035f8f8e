import { numberOf } from '../render/format.ts'
import type { Value } from '../render/result.ts'
import type { Report } from '../report/parse/parse.ts'
import type { Session } from '../warehouse/read/session.ts'
import { parserOn } from '../warehouse/read/session-parser.ts'
import type { CardFigure } from './card-figures.ts'
import { isCompared, type Verdict } from './change-verdict.ts'
import { basesOf, type FigureBasis } from './figure-dependencies.ts'
import { nameOf } from './figures.ts'

type Row = Record<string, Value>

/** A part with at least this share of all incidents suspends the comparison of all counts. */
const LARGE_PART = 0.1

const PROBLEMS = ['gap', 'resumed', 'moved', 'renamed', 'timer']

/**
 * Returns the verdicts, by figure name, on figures that are not compared because of a data problem: a part without
 * incidents, a moved channel, a renamed severity, or a timer that closes incidents.
 * @param found rows of the macro `findings`
 */
export async function suspendedVerdicts(
  session: Session,
  report: Report,
  cards: readonly CardFigure[],
  found: readonly Row[],
): Promise<Map<string, Verdict>> {
  const problems = found.filter(({ kind }) => PROBLEMS.includes(String(kind)))
  if (problems.length === 0) return new Map()
  const compared = cards.filter(({ judged }) => judged)
  const figures = compared.map(({ body }) => body.value)
  const bases = await basesOf(parserOn(session), figures, report.queries)
  const suspended = compared.flatMap(({ body, judged }, index): [string, Verdict][] => {
    const verdict = problems
      // A timer also makes the value itself meaningless.
      .filter(({ kind }) => kind === 'timer' || isCompared(judged!.verdict))
      .map((problem) => suspension(problem, judged!.measure, bases[index]!))
      .find((one) => one !== null)
    return verdict ? [[nameOf(body.value), verdict]] : []
  })
  return new Map(suspended)
}

function suspension(problem: Row, measure: string, { facts, severities }: FigureBasis): Verdict | null {
  const { kind, topic, amount, subject } = problem
  if (kind === 'timer') return measure === 'duration' && facts?.has('ttr') ? verdictOf(problem) : null
  if (measure !== 'count') return null
  if (kind === 'renamed') return severities ? verdictOf(problem) : null
  const isLarge =
    topic === 'severities' && severities
      ? severities.has(String(subject))
      : (numberOf(amount!) ?? 0) >= LARGE_PART
  return isLarge ? verdictOf(problem) : null
}

function verdictOf({ kind, topic, subject, within, value, before, amount, detail }: Row): Verdict {
  const number = (of: Value | undefined) => numberOf(of ?? null) ?? 0
  if (kind === 'renamed') return { code: 'renamed' }
  if (kind === 'timer')
    return { code: 'timer', closed: number(value), of: number(before), after: number(amount) }
  if (kind === 'moved') return { code: 'moved', from: String(detail) }
  const part = { topic: String(topic), name: String(subject) }
  return {
    code: 'silence',
    silence: { days: number(value), from: within ?? null, isOpen: kind === 'gap', part },
  }
}
