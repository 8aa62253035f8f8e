import { createHash } from 'node:crypto'
import type { ReportResult } from '../render/result.ts'
import { recordSent, type Sent, sentBefore } from './outbox.ts'

/** Ledger key of a handover report: hash of its parameters, due time, end of its data, newest sync run per account. */
const NOTE = /^shift (\S+) (\S+) (\S+) (\S*)$/

type Ledger = Pick<Sent, 'ledger' | 'effects'>

/** Returns where the data of the last delivered handover report ends. @param except due time of a report to ignore */
export async function lastShift(
  report: string,
  parameters: string,
  ledger: Ledger,
  except?: string,
): Promise<NonNullable<ReportResult['shiftEnd']> | null> {
  const scope = scopeOf(parameters)
  const ends = [...(await sentBefore(report, ledger)).keys()].flatMap((key) => {
    const [, of, due, asOf, runs = ''] = NOTE.exec(key) ?? []
    return of === scope && due !== except && asOf !== undefined
      ? [{ asOf: new Date(asOf), runs: runs.split(',').filter(Boolean), due: due! }]
      : []
  })
  // If several handovers end with the same data, returns the handover that was due last.
  const isLater = (a: (typeof ends)[number], b: (typeof ends)[number]) =>
    b.asOf.getTime() - a.asOf.getTime() || (a.due < b.due ? 1 : -1)
  return ends.toSorted(isLater)[0] ?? null
}

/** Records where the data of a handover report ends, as soon as one recipient has accepted the report. */
export async function noteShift({ name, shiftEnd }: ReportResult, sent: Sent): Promise<void> {
  const { parameters, due, period } = sent.subject
  // A manual handover does not change where the next scheduled handover starts.
  if (!shiftEnd || due === period) return
  const start = `shift ${scopeOf(parameters)} ${due} `
  const known = await sentBefore(name, sent)
  if ([...known.keys()].some((key) => key.startsWith(start))) return
  const key = `${start}${shiftEnd.asOf.toISOString()} ${shiftEnd.runs.join(',')}`
  await recordSent([key], name, sent)
}

const scopeOf = (parameters: string) => createHash('sha256').update(parameters).digest('hex').slice(0, 16)
