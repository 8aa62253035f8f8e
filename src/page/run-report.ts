import { basename, dirname, resolve as resolvePath } from 'node:path'
import { runAfter } from '../effects.ts'
import { WarehouseError } from '../errors.ts'
import { qualityGates } from '../judge/data-quality.ts'
import { figuresOf } from '../judge/figures.ts'
import { numbersOf } from '../judge/finding-incidents.ts'
import { findingQueries, linkFindings, readFindings } from '../judge/findings.ts'
import { countedOf, isEmpty, leftOutOf, type StillOpenFacts, stillOpenOf } from '../judge/methodology-data.ts'
import { restatementOf } from '../judge/restatement.ts'
import { contextOf, type FormatContext } from '../render/format.ts'
import type { Block, QueryResult, ReportResult, StillOpen } from '../render/result.ts'
import { inlineText, leadText } from '../render/text.ts'
import { parametersOf, type RunOptions, runQueries } from '../report/ask-queries.ts'
import { compile } from '../report/check-blocks.ts'
import { checkSamples } from '../report/check-samples.ts'
import { onlyConfigured } from '../report/drop-unconfigured-blocks.ts'
import { ownMeasures } from '../report/metrics/own-measures.ts'
import { readsOf } from '../report/parse/column-requirements.ts'
import { parseReport, type Report } from '../report/parse/parse.ts'
import { stop } from '../report/parse/report-errors.ts'
import { reportText } from '../report/report-text.ts'
import { openFrame } from '../report/scope/frame.ts'
import type { Sessions } from '../report/scope/report-filters.ts'
import { isHandover, readShiftEnd, shiftWarnings } from '../report/scope/shift.ts'
import type { Reader } from '../warehouse/read/reader.ts'
import type { Session } from '../warehouse/read/session.ts'
import { resolve } from './draw-blocks.ts'
import { judgeGates } from './evaluate-gates.ts'
import { sayFindings } from './findings-block.ts'
import { listQueries, listsOf, NO_LISTS } from './incident-lists.ts'
import { runFacts } from './run-facts.ts'
import { gapSentence } from './sentences/finding-sentences.ts'
import { sayRowVerdicts } from './table-verdicts.ts'
import { verdictsOf } from './verdicts-table.ts'

/**
 * Runs a report. Later queries can read earlier ones by name. Equal data gives equal results, independent of the
 * process. Failed checks are part of the result.
 * @throws ReportError with file and line, also for a timeout
 * @throws ConfigError for invalid options
 */
export async function runReport(
  file: string,
  reader: Sessions,
  options: RunOptions = {},
): Promise<ReportResult> {
  const act = async (session: Session): Promise<ReportResult> => {
    const written = parseReport(options.text ?? reportText(file), file, await ownMeasures(session))
    const report = await onlyConfigured(written, session)
    const open = await openFrame(session, parametersOf(report, options), {
      ...options,
      accounts: reader.accounts,
      queries: queriesOf(report, options),
    })
    const { results, shapes } = await runQueries(session, report, open, stop)
    compile(report, shapes, stop)
    await checkSamples(session, report, shapes, stop)
    const figures = await figuresOf(session, report, shapes, open.comparable)
    const context = contextOf(open.frame)
    sayRowVerdicts(report, results, figures, context)
    const base = { ...open, context, results, figures }
    const read = await readFindings(session, report, open, { ...base, ...NO_LISTS })
    const found =
      options.lists === false
        ? NO_LISTS
        : await listsOf(session, report, results, open.bound, open.frame, numbersOf(read?.all ?? []))
    // Definitions used from here on read warehouse tables, which a result may hide by its name.
    await session.forget(results.keys())
    const known = { ...base, linksOf: found.linksOf }
    const findings = read && sayFindings(report, linkFindings(read, found, known), known)
    const blocks = resolve(report, known, findings)
    const kpis = blocks.flatMap((block) => (block.kind === 'kpis' ? block.cards : []))
    const verdicts = verdictsOf(report, known)
    const counted = await countedOf(session, open, report, verdicts)
    const stillOpen = isEmpty(counted.funnel) ? await stillOpenOf(session, open) : null
    const facts = await runFacts(session, report, open, known, kpis)
    return {
      name: report.name,
      title: report.front.title,
      verdict: verdictOf(blocks),
      kpis,
      source: `${basename(dirname(resolvePath(file)))}/${basename(file)}`,
      frame: { ...open.frame, ...leftOutOf(counted) },
      // A report about open incidents is not empty if there are some, or new ones.
      empty: stillOpen !== null && !(report.front.about_open && stillOpen.all + stillOpen.came > 0),
      stillOpen: stillOpen && stillOpenText(stillOpen, context),
      blocks,
      queries: withUnits(report, [...results.values()]),
      verdicts,
      lists: found.lists,
      findings: findings?.table ?? null,
      counted,
      coverage: open.coverage,
      gates: [...judgeGates(report.gates, known), ...(await qualityGates(session, open, options.now))],
      // Handovers cover different shifts, so they are not compared.
      restated: isHandover(report) ? null : await restatementOf(session, report, facts, open, known.context),
      run: facts,
      ...(isHandover(report) && { shiftEnd: await readShiftEnd(session, open.frame.asOfInstant) }),
      warnings: [...open.warnings, ...found.warnings, ...shiftWarnings(report, options, open.frame)],
    }
  }
  return within(reader, act, options.timeoutMs)
}

const queriesOf = (report: Report, { lists = true }: RunOptions) => [
  ...report.queries.map(({ sql }) => sql),
  ...findingQueries(report),
  ...(lists ? listQueries(report) : []),
]

/** Words the gap in the period, if there is one. */
function stillOpenText({ gap, ...counts }: StillOpenFacts, context: FormatContext): StillOpen {
  return gap === null ? counts : { ...counts, gap: inlineText(gapSentence(gap, context)) }
}

/** Returns the findings, or else the first paragraph before any heading. */
function verdictOf(blocks: readonly Block[]): string {
  const first = blocks.find(({ kind }) => ['findings', 'paragraph', 'heading'].includes(kind))
  if (first?.kind === 'findings') return leadText(first)
  return first?.kind === 'paragraph' ? inlineText(first.content) : ''
}

async function within<Result>(
  reader: Pick<Reader, 'session'>,
  act: (session: Session) => Promise<Result>,
  timeoutMs?: number,
): Promise<Result> {
  const session = await reader.session()
  const timer =
    timeoutMs === undefined ? undefined : runAfter(timeoutMs, () => session.stop(tooLong(timeoutMs)))
  try {
    return await act(session)
  } finally {
    clearTimeout(timer)
    session.close()
  }
}

function tooLong(ms: number): WarehouseError {
  const limit = ms < 60_000 ? `${ms / 1_000} s` : `${Math.round(ms / 6_000) / 10} min`
  return new WarehouseError(`The report took longer than ${limit}.`, {
    next: 'Look at its slowest query with `faultline sql`, or raise `reporting.timeout`.',
  })
}

/** Marks duration columns with their unit for files, where `tta` becomes `tta_s`. Names that contain the unit stay. */
function withUnits(report: Report, queries: readonly QueryResult[]): QueryResult[] {
  const durations = readsOf(report).filter(({ format }) => format === 'duration')
  const seconds = new Set(durations.map(({ query, column }) => `${query}.${column}`))
  return queries.map((query) => ({
    ...query,
    columns: query.columns.map((column) => {
      const { name } = column
      const isNamed = /(_s|seconds)$/.test(name) || query.columns.some((other) => other.name === `${name}_s`)
      const made = report.queries.find((one) => one.name === query.name)?.seconds
      const isSeconds = made?.has(name) || seconds.has(`${query.name}.${name}`)
      return isSeconds && !isNamed ? { ...column, unit: 's' as const } : column
    }),
  }))
}
