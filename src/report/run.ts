import { readFileSync } from 'node:fs'
import { basename, dirname, resolve as resolvePath } from 'node:path'
import { ReportError, WarehouseError } from '../errors.ts'
import { contextOf } from '../render/format.ts'
import type { QueryResult, ReportResult } from '../render/result.ts'
import type { Reader, Session } from '../warehouse/reader.ts'
import { compile } from './compile.ts'
import { definitions } from './definitions.ts'
import { funnel, type OpenFrame, openFrame } from './frame.ts'
import { parseParameters, type RawParameters } from './parameters.ts'
import { parseReport, type Query, type Report } from './parse.ts'
import { resolve, withoutSamples } from './resolve.ts'

/** What the caller says about a run; it goes before what the report's front matter says. */
export interface RunOptions extends RawParameters {
  /** The zone to use when neither the caller nor the report names one: the configuration's. */
  defaultTimezone?: string | undefined
}

/**
 * Runs a report on the warehouse. Each query runs once and later ones can read it by its name. Nothing of the
 * clock or of the process enters, so the same data gives the same result. Throws `ReportError` with file and line,
 * and `ConfigError` for options that are wrong.
 */
export async function runReport(
  file: string,
  reader: Reader,
  options: RunOptions = {},
): Promise<ReportResult> {
  const report = readReport(file)
  return within(reader, async (session) => {
    const open = await openFrame(session, parametersOf(report, options), {
      ...options,
      reads: readsOf(report),
    })
    const results = await runQueries(session, report, open)
    const shapes = new Map([...results].map(([name, { columns }]) => [name, columns]))
    compile(report, shapes)
    const steps = await funnel(session, open.bound)
    const context = contextOf(open.frame)
    return {
      name: report.name,
      title: report.front.title,
      source: `${basename(dirname(resolvePath(file)))}/${basename(file)}`,
      frame: open.frame,
      empty: steps.find(({ label }) => label === 'counted')?.count === 0,
      blocks: resolve(report, { ...open, context, results }),
      queries: [...results.values()].map(withoutSamples),
      counted: { rules: definitions, funnel: steps },
      warnings: open.warnings,
    }
  })
}

/**
 * Compiles every block of a report against the warehouse's columns without computing a row; the warehouse may be
 * empty. Throws `ReportError` for the first thing that is wrong.
 */
export async function checkReport(file: string, reader: Reader): Promise<Report> {
  const report = readReport(file)
  return within(reader, async (session) => {
    const open = await openFrame(session, parametersOf(report, {}), { rows: false, reads: readsOf(report) })
    const results = await runQueries(session, report, open, false)
    compile(report, new Map([...results].map(([name, { columns }]) => [name, columns])))
    return report
  })
}

function readReport(file: string): Report {
  try {
    return parseReport(readFileSync(file, 'utf8'), file)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) {
      throw new ReportError(
        'The report cannot be read.',
        { file, line: 1 },
        { cause, next: 'See `faultline report list`.' },
      )
    }
    throw cause
  }
}

function parametersOf({ front }: Report, options: RunOptions) {
  const given = Object.fromEntries(
    Object.entries(options).filter(([key, value]) => key !== 'defaultTimezone' && value !== undefined),
  )
  return parseParameters({ ...front.params, ...given })
}

function readsOf({ queries }: Report): (relation: string) => boolean {
  return (relation) => queries.some(({ sql }) => sql.includes(relation))
}

async function within<Result>(reader: Reader, act: (session: Session) => Promise<Result>): Promise<Result> {
  const session = await reader.session()
  try {
    return await act(session)
  } finally {
    session.close()
  }
}

async function runQueries(session: Session, report: Report, { bound }: OpenFrame, rows = true) {
  const results = new Map<string, QueryResult>()
  for (const query of report.queries) {
    try {
      await session.keep(query.name, query.sql, { parameters: bound, rows })
      results.set(query.name, {
        name: query.name,
        sql: query.sql.trimEnd(),
        ...(await session.read(query.name)),
      })
    } catch (cause) {
      throw cause instanceof WarehouseError ? blamed(cause, query) : cause
    }
  }
  return results
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
