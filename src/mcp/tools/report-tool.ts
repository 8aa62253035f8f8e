import { z } from 'zod'
import { runReport } from '../../page/run-report.ts'
import { targetText } from '../../page/sentences/card-sentences.ts'
import { plain } from '../../render/format.ts'
import type { FindingsBlock, KpiCard, ReportResult } from '../../render/result.ts'
import { inlineText, leadParagraphs } from '../../render/text.ts'
import { allReports, pickReports } from '../../report/report-catalog.ts'
import { version } from '../../version.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { withHash } from '../receipt.ts'
import type { Answer, Tool } from '../tool.ts'
import { wrapUntrusted } from '../untrusted-text.ts'
import { askedIn, figureContext, filters, optionsOf } from './filters.ts'

const { period, ...others } = filters
const input = z.strictObject({
  report: z.string().min(1).max(100).describe('Report name, from `list` with kind reports.'),
  period: period
    .unwrap()
    .optional()
    .describe('Default: the period of the report. Same format as for `figure`.'),
  ...others,
})

export const reportTool: Tool<typeof input> = {
  name: 'report',
  title: 'Report summary',
  description:
    'Returns the lead of a report, its cards with n, interval and verdict, its checks and its rules. `faultline report` creates the page itself. ' +
    'The answer is a receipt that `faultline verify` can recompute.',
  input,
  receipt: true,
  answer: (call, given) =>
    call.readers.use(call.signal, async (sessions) => {
      const [picked] = pickReports([given.report], allReports(call.ground.reports))
      if (picked!.problem) throw picked!.problem
      return shortOf(await runReport(picked!.file, sessions, optionsOf(call, given)), given)
    }),
}

/** Maximum length of a paragraph in the lead. The usual limit is too short for a paragraph with several names. */
const LEAD_MOST = 1_500

function shortOf(result: ReportResult, given: z.output<typeof input>): Answer {
  const verdicts = objectsOf(result.verdicts as never)
  const findings = result.findings ? objectsOf(result.findings as never) : []
  // The verdict on a count names the team, channel or severity without incidents.
  const hasNames = findings.some(({ kind }) => kind === 'gap')
  const safe = (verdict: string) => (hasNames ? wrapUntrusted(verdict) : verdict)
  return withHash({
    tool: 'report',
    asked: askedIn(given, result),
    title: wrapUntrusted(result.title),
    lead: leadOf(result).map((text) => wrapUntrusted(text, LEAD_MOST)),
    cards: result.kpis.map((card) => cardOf(card, safe)),
    // One row for each compared figure, in seconds, shares or counts.
    verdicts: verdicts.map(({ mix: _, ...row }) => ({
      ...row,
      verdict: typeof row.verdict === 'string' ? safe(row.verdict) : null,
    })),
    gates: result.gates.map(({ name, state, message }) => ({ name, state, message: wrapUntrusted(message) })),
    ...figureContext(result),
    version,
  })
}

/** Returns the lead without sentences about individuals. Naming the person with the most pages would rank people. */
function leadOf({ blocks, verdict, findings }: ReportResult): string[] {
  const block = blocks.find((one): one is FindingsBlock => one.kind === 'findings')
  if (!block || !findings) return verdict === '' ? [] : [verdict]
  const people = objectsOf(findings as never).flatMap(({ topic, subject }) =>
    topic === 'nights' ? [String(subject)] : [],
  )
  const ofNobody = (text: string) => text !== '' && !people.some((name) => text.includes(name))
  const lines = block.lines.filter(({ text }) => ofNobody(inlineText(text)))
  return leadParagraphs({ ...block, lines })
    .map(inlineText)
    .filter(ofNobody)
}

function cardOf({ label, value, n, interval, change, target }: KpiCard, safe: (verdict: string) => string) {
  return {
    label,
    figure: plain(value),
    n,
    interval: interval?.map(plain) ?? null,
    verdict: change ? safe(change.verdict) : null,
    previous: change?.previous ? plain(change.previous) : null,
    target: target && targetText(target),
  }
}
