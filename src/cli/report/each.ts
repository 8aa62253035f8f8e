import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../effects.ts'
import { FaultlineError } from '../../errors.ts'
import type { ReportResult } from '../../render/result.ts'
import type { Site } from '../../render/site-html.ts'
import { toPageList } from '../../render/to-index.ts'
import type { Listed } from '../../report/list.ts'
import type { Context } from '../context.ts'

/** Teams or accounts whose reports are made side by side: one is drawn here while DuckDB works for two. */
export const AT_ONCE = 3

/**
 * Makes reports of many teams or accounts, some side by side. All of them, also after one failed.
 * @param begin is asked for each subject how one of its reports is made, with its exit status, and what to do after the last
 * @returns the highest exit status
 */
export async function makeEach<Subject extends { readonly name: string }>(
  { console, signal }: Context,
  subjects: readonly Subject[],
  reports: readonly Listed[],
  atOnce: number,
  begin: (subject: Subject) => Promise<{ make(report: Listed): Promise<number>; end?(): void }>,
): Promise<number> {
  const waiting = [...subjects]
  const failed = new Set<string>()
  let status = 0
  const one = async (subject: Subject, report: Listed, make: (report: Listed) => Promise<number>) => {
    signal.throwIfAborted()
    try {
      status = Math.max(status, await make(report))
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      if (!failed.has(error.message)) console.error(`${report.name} of ${subject.name}: ${error.message}`)
      failed.add(error.message)
      status = Math.max(status, error.exitCode)
    }
  }
  const worker = async () => {
    for (let subject = waiting.shift(); subject !== undefined; subject = waiting.shift()) {
      const { make, end } = await begin(subject)
      for (const report of reports) await one(subject, report, make)
      end?.()
    }
  }
  // All of them: none may still read when the reader is closed.
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  for (const each of ended) if (each.status === 'rejected') throw each.reason
  return status
}

/** Writes the index of a team's or an account's folder: of those of the reports whose pages are there. */
export function writeIndex(
  folder: string,
  name: string,
  reports: readonly Listed[],
  site: Site | null = null,
): void {
  const made = reports.filter(({ name }) => existsSync(join(folder, `${name}.html`)))
  const pages = made.map(({ name, title, description }) => ({
    page: `${encodeURIComponent(name)}.html`,
    title,
    description,
  }))
  replaceFile(join(folder, 'index.html'), toPageList(name, pages, '', site))
}

/** Exit status: a report was made, but one of its gates failed. */
const GATE_FAILED = 3

/** Tells which gates of a report failed. @returns the exit status */
export function gateStatus({ console }: Context, { gates }: ReportResult, name: string): number {
  const failing = gates.filter(({ state }) => state !== 'ok')
  for (const { state, message } of failing)
    console.note(`${state === 'error' ? 'failed' : 'warning'}: ${name}: ${message}`)
  return failing.some(({ state }) => state === 'error') ? GATE_FAILED : 0
}
