import { type Quality, qualityOf } from '../judge/data-quality.ts'
import { withVerdicts } from '../judge/figures.ts'
import { numbersOf } from '../judge/finding-incidents.ts'
import { type ReadFindings, readFindings, readSuspended } from '../judge/findings.ts'
import type { Judgement } from '../judge/judge-figures.ts'
import { countedOf, isEmpty, type StillOpenFacts, stillOpenOf } from '../judge/methodology-data.ts'
import { restatementOf } from '../judge/restatement.ts'
import { contextOf, numberOf } from '../render/format.ts'
import type { Methodology, QueryResult, Restatement, Verdicts } from '../render/result.ts'
import type { Answers } from '../report/ask-queries.ts'
import { frameSql } from '../report/scope/frame-sql.ts'
import { isHandover, readShiftEnd } from '../report/scope/shift.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import type { Session } from '../warehouse/read/session.ts'
import { fewIncidents } from './few-incidents.ts'
import { type FoundLists, listsOf, NO_LISTS } from './incident-lists.ts'
import { recordRun } from './run-facts.ts'
import { generalReasons } from './sentences/restatement-sentences.ts'
import type { SubjectCounts } from './sentences/subject-sentences.ts'
import { verdictsOf } from './verdicts-table.ts'

/** The findings of a report, which are based on all its figures together, and facts about its data. */
export interface Findings {
  /** Null if the report has no findings block. */
  readonly ranked: ReadFindings | null
  readonly figures: Judgement['figures']
  readonly verdicts: Verdicts
  readonly lists: FoundLists
  readonly methodology: Methodology
  /** Set only if the period has no incidents. */
  readonly stillOpen: StillOpenFacts | null
  readonly counts: SubjectCounts
  /** The incidents, if there are so few that the report lists them. Otherwise null. */
  readonly few: QueryResult | null
  readonly quality: Quality
  readonly restatement: Restatement | null
  readonly shiftEnd: Awaited<ReturnType<typeof readShiftEnd>> | null
}

/** The only function that revises verdicts: it can turn a sure change into a possible one. */
export async function rankFindings(
  session: Session,
  answers: Answers,
  judgement: Judgement,
): Promise<Findings> {
  const { report, open, results, options } = answers
  const context = contextOf(open.frame)
  const quality = await qualityOf(session, open, options.now)
  const ranked = await readFindings(session, report, open, judgement.cards, quality)
  const revised = ranked?.verdicts ?? (await readSuspended(session, report, open, judgement.cards))
  const lists =
    options.lists === false
      ? NO_LISTS
      : await listsOf(session, report, results, open.bound, open.frame, numbersOf(ranked?.all ?? []))
  // A query result would hide a warehouse table of the same name, which later definitions read.
  await session.forget(results.keys())
  const figures = withVerdicts(judgement.figures, revised)
  const verdicts = verdictsOf(report, { results, figures, context })
  const methodology = await countedOf(session, open, report, verdicts)
  const empty = isEmpty(methodology.funnel)
  const stillOpen = empty || report.front.about_open ? await stillOpenOf(session, open) : null
  const counts = await countsOf(session, answers, stillOpen)
  const few = await fewIncidents(session, report, counts.incidents)
  const run = recordRun(answers, judgement)
  return {
    ...{ ranked, figures, verdicts, lists, methodology, counts, few, quality },
    stillOpen: empty ? stillOpen : null,
    // Handovers cover different shifts, so they are not compared.
    restatement: isHandover(report)
      ? null
      : await restatementOf(session, report, run, open, context, generalReasons),
    shiftEnd: isHandover(report) ? await readShiftEnd(session, open.frame.asOfInstant) : null,
  }
}

async function countsOf(
  session: Session,
  { open }: Answers,
  still: StillOpenFacts | null,
): Promise<SubjectCounts> {
  const [row = {}] = objectsOf(await session.query(frameSql('subject-counts')))
  return {
    incidents: Number(row.incidents),
    previous: numberOf(row.previous),
    open: still ? still.all + still.later : 0,
    isUnread: open.coverage.share === 0,
  }
}
