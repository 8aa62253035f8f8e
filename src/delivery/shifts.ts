import { createHash } from 'node:crypto'
import type { ReportResult } from '../render/result.ts'
import { recordSent, type Sent, sentBefore } from './outbox.ts'

/** Ledger key of a delivered handover: a hash of its parameters, its due time, the end of its data, and its runs. */
const NOTE = /^shift (\S+) (\S+) (\S+) (\S*)$/

type Ledger = Pick<Sent, 'ledger' | 'effects'>

/** Returns the end of the data in the last delivered handover. @param except due time of a handover to ignore */
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
  // If the data of two handovers ends at the same time, the handover that was due first used it. Returns that handover.
  const isLater = (a: (typeof ends)[number], b: (typeof ends)[number]) =>
    b.asOf.getTime() - a.asOf.getTime() || (a.due < b.due ? 1 : -1)
  return ends.toSorted(isLater)[0] ?? null
}

/** Records the end of the data in a handover, when its first recipient accepts it. */
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
