/** What processes tell each other about one request. Times are milliseconds of the machine's own clock. */
export type BudgetRecord =
  /** One more request stands in line, behind all that were written before. */
  | {
      readonly kind: 'place'
      /** `<who>.<number>`: unique among all processes. */
      readonly id: string
      /** The share of the limits that whoever sends it keeps, above 0 and up to 1. */
      readonly share: number
      readonly at: number
      readonly pid: number
      /** Where that pid means something. */
      readonly host: string
    }
  /** The request is over. When it is said more than once, the earliest time counts. */
  | {
      readonly kind: 'end'
      readonly id: string
      /** When the service counted it at the latest; -Infinity when it was never sent. */
      readonly countedAt: number
    }

const PLACE =
  /^p ([a-z0-9]{1,16}\.\d{1,15}) (\d(?:\.\d{1,17})?(?:e-\d{1,3})?) (\d{1,15}\.\d{3}) (\d{1,10}) (\w{1,32})$/
const END = /^e ([a-z0-9]{1,16}\.\d{1,15}) (never|\d{1,15}\.\d{3})$/

/** One line of text, its end included, so that a log can be looked into with anything. */
export function formatRecord(record: BudgetRecord): string {
  if (record.kind === 'end') return `e ${record.id} ${formatTime(record.countedAt)}\n`
  return `p ${record.id} ${record.share} ${formatTime(record.at)} ${record.pid} ${record.host}\n`
}

/** @returns undefined when the line, given without its end, is none of ours */
export function parseRecord(line: string): BudgetRecord | undefined {
  const end = END.exec(line)
  if (end !== null) return { kind: 'end', id: end[1]!, countedAt: parseTime(end[2]!) }
  const [, id, share, at, pid, host] = PLACE.exec(line) ?? []
  if (id === undefined || !(Number(share) > 0 && Number(share) <= 1)) return undefined
  return { kind: 'place', id, share: Number(share), at: Number(at), pid: Number(pid), host: host! }
}

function formatTime(ms: number): string {
  return ms === Number.NEGATIVE_INFINITY ? 'never' : Math.max(0, ms).toFixed(3)
}

function parseTime(text: string): number {
  return text === 'never' ? Number.NEGATIVE_INFINITY : Number(text)
}
