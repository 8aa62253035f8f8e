import { readFileSync } from 'node:fs'
import { basename, dirname, resolve as resolvePath } from 'node:path'
import { ConfigError, ReportError, WarehouseError } from '../errors.ts'
import { contextOf } from '../render/format.ts'
import type { Block, QueryResult, ReportResult } from '../render/result.ts'
import { inlineText } from '../render/text.ts'
import type { Reader, Session } from '../warehouse/reader.ts'
import { compile, type Shapes } from './compile.ts'
import { definitionsFor } from './definitions.ts'
import { funnel, type OpenFrame, openFrame } from './frame.ts'
import { judgeGates } from './judge-gates.ts'
import { makeAllColumns } from './make-scope.ts'
import { stop, type Tell } from './mistakes.ts'
import { parseParameters, type RawParameters } from './parameters.ts'
import { parseReport, type Query, type Report, readReport } from './parse.ts'
import { qualityGates } from './quality.ts'
import { resolve, withoutSamples } from './resolve.ts'
import { restatementOf } from './restatement.ts'
import { runFacts } from './run-facts.ts'
import { sensitivityOf } from './sensitivity.ts'

/** What the caller says about a run; it goes before what the report's front matter says. */
export interface RunOptions extends RawParameters {
  /** The zone to use when neither the caller nor the report names one: the configuration's. */
  defaultTimezone?: string | undefined
  /** Milliseconds since the epoch: with it the age of the data is judged, and nothing else depends on it. */
  now?: number | undefined
}

/**
 * Runs a report on the warehouse. Each query runs once and later ones can read it by its name. Nothing of the process
 * enters, so the same data gives the same result. Throws `ReportError` with file and line, and `ConfigError` for options
 * that are wrong. A gate that trips is part of the result: nothing is thrown for it.
 */
export async function runReport(
  file: string,
  reader: Reader,
  options: RunOptions = {},
): Promise<ReportResult> {
  const report = parseReport(textOf(file), file)
  return within(reader, async (session) => {
    const open = await openFrame(session, parametersOf(report, options), {
      ...options,
      queries: report.queries.map(({ sql }) => sql),
    })
    const results = await runQueries(session, report, open, stop)
    compile(report, shapesOf(report, results), stop)
    const steps = await funnel(session, open.bound)
    const empty = steps.find(({ label }) => label === 'counted')?.count === 0
    const evidence = { ...open, context: contextOf(open.frame), results }
    const blocks = resolve(report, evidence)
    const kpis = blocks.flatMap((block) => (block.kind === 'kpis' ? block.cards : []))
    const facts = await runFacts(session, report, open, evidence, kpis)
    return {
      name: report.name,
      title: report.front.title,
      verdict: verdictOf(blocks),
      kpis,
      source: `${basename(dirname(resolvePath(file)))}/${basename(file)}`,
      frame: open.frame,
      empty,
      blocks,
      queries: [...results.values()].map(withoutSamples),
      counted: {
        rules: definitionsFor(open.policies),
        funnel: steps,
        ...(empty ? {} : { sensitivity: await sensitivityOf(session, open.bound) }),
      },
      coverage: open.coverage,
      gates: [...judgeGates(report.gates, evidence), ...(await qualityGates(session, open, options.now))],
      restated: await restatementOf(session, facts, open.bound, evidence.context),
      run: facts,
      warnings: open.warnings,
    }
  })
}

/**
 * Compiles every block of a report against the warehouse's columns without computing a row; the warehouse may be
 * empty. Returns every mistake of the file, in the order of its lines.
 */
export async function mistakesOf(file: string, reader: Reader): Promise<ReportError[]> {
  const mistakes: ReportError[] = []
  const tell = (mistake: ReportError) => mistakes.push(mistake)
  const report = readReport(textOf(file), file, tell)
  if (report) {
    await within(reader, async (session) => {
      // A period that cannot be read is told already.
      const parameters = attemptParameters(report)
      const open = await openFrame(session, parameters, {
        rows: false,
        queries: report.queries.map(({ sql }) => sql),
      })
      const results = await runQueries(session, report, open, tell, false)
      compile(report, shapesOf(report, results), tell)
    })
  }
  return mistakes.toSorted((a, b) => a.line - b.line)
}

/** Throws the first mistake of a report, if there is one; see `mistakesOf`. */
export async function checkReport(file: string, reader: Reader): Promise<void> {
  const [mistake] = await mistakesOf(file, reader)
  if (mistake) throw mistake
}

/** The first paragraph, when it stands before every heading: one sentence on how things are. */
function verdictOf(blocks: readonly Block[]): string {
  const first = blocks.find(({ kind }) => kind === 'paragraph' || kind === 'heading')
  return first?.kind === 'paragraph' ? inlineText(first.content) : ''
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ReportError(
      'The report cannot be read.',
      { file, line: 1 },
      { cause, next: 'See `faultline report list`.' },
    )
  }
}

function parametersOf({ front }: Report, options: RunOptions) {
  const given = Object.fromEntries(
    Object.entries(options).filter(
      ([key, value]) => key !== 'defaultTimezone' && key !== 'now' && value !== undefined,
    ),
  )
  return parseParameters({ ...front.params, ...given })
}

/** For a check the parameters only have to be some: what is wrong with them was told when they were read. */
function attemptParameters(report: Report) {
  try {
    return parametersOf(report, {})
  } catch (error) {
    if (error instanceof ConfigError) return parseParameters({})
    throw error
  }
}

async function within<Result>(reader: Reader, act: (session: Session) => Promise<Result>): Promise<Result> {
  const session = await reader.session()
  try {
    return await act(session)
  } finally {
    session.close()
  }
}

async function runQueries(
  session: Session,
  report: Report,
  { bound }: OpenFrame,
  tell: Tell,
  rows = true,
): Promise<Map<string, QueryResult>> {
  const results = new Map<string, QueryResult>()
  const failed: string[] = []
  for (const query of report.queries) {
    try {
      await session.keep(query.name, query.sql, { parameters: bound, rows })
      results.set(query.name, {
        name: query.name,
        sql: query.sql.trimEnd(),
        ...(await session.read(query.name)),
      })
    } catch (cause) {
      if (!(cause instanceof WarehouseError)) throw cause
      // What reads a query that failed fails because of that one.
      if (!failed.some((name) => new RegExp(`\\b${name}\\b`).test(query.sql)))
        tell(blamed(await saidBest(session, query, bound, cause), query))
      failed.push(query.name)
    }
  }
  return results
}

/** The same mistake with all columns in sight, so that the closest is among them. */
async function saidBest(
  session: Session,
  { name, sql }: Query,
  bound: OpenFrame['bound'],
  cause: WarehouseError,
) {
  try {
    await makeAllColumns(session, bound)
    await session.keep(name, sql, { parameters: bound, rows: false })
    return cause
  } catch (again) {
    return again instanceof WarehouseError ? again : cause
  }
}

function shapesOf({ queries }: Report, results: ReadonlyMap<string, QueryResult>): Shapes {
  return new Map(queries.map(({ name }) => [name, results.get(name)?.columns ?? null]))
}

/** The database counts lines from the start of the query; the author counts them from the start of the file. */
function blamed(cause: WarehouseError, { name, at }: Query): ReportError {
  const [message = '', ...rest] = cause.message.split('\n')
  const line = /^LINE (\d+):/m.exec(cause.message)?.[1]
  const hint = cause.next ?? rest.find((each) => /^(Did you mean|Candidate)/.test(each))
  return new ReportError(
    `The query "${name}" failed: ${message}`,
    { file: at.file, line: at.line + (line ? Number(line) - 1 : 0) },
    { cause, ...(hint ? { next: hint } : {}) },
  )
}
