import type { Session } from '../warehouse/reader.ts'

/** The choices of the configuration that figures follow; see the tables `config_policies` and `config_bands`. */
export interface Policies {
  /** What counts as an acknowledgement. */
  ack: 'exclude' | 'close_counts' | 'first_action'
  /** Which incidents belong to a period. */
  cohort: 'started' | 'closed'
  /** The hour bands in words: `sleep is daily 23–8, work is Mon–Fri 8–19`. */
  hours: string
}

export async function policiesOf(session: Session): Promise<Policies> {
  const { rows } = await session.query('select name, value from config_policies')
  const chosen = new Map(rows.map(([name, value]) => [String(name), String(value)]))
  const { rows: bands } = await session.query(`
    select rank, band, list(weekdays order by from_hour desc), list(from_hour order by from_hour desc), list(to_hour order by from_hour desc)
    from config_bands group by rank, band order by rank`)
  const words = bands
    .filter((row) => row[1] !== 'off')
    .map(([, band, weekdays, from, to]) =>
      bandText(
        String(band),
        weekdays as bigint[][],
        (from as bigint[]).map(Number),
        (to as bigint[]).map(Number),
      ),
    )
  return {
    ack: (chosen.get('ack') ?? 'exclude') as Policies['ack'],
    cohort: (chosen.get('cohort') ?? 'started') as Policies['cohort'],
    hours: words.join(', ') || 'no hours are set',
  }
}

/** A band over midnight is two rows, the later hours first: it is said as one. */
function bandText(band: string, weekdays: bigint[][], from: number[], to: number[]): string {
  const isOverMidnight = from.length === 2 && to[0] === 24 && from[1] === 0
  if (isOverMidnight) return `${band} is ${daysText(weekdays[0]!)} ${from[0]}–${to[1]}`
  return `${band} is ${from.map((start, index) => `${daysText(weekdays[index]!)} ${start}–${to[index]}`).join(' and ')}`
}

const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

function daysText(weekdays: readonly bigint[]): string {
  const days = weekdays.map(Number)
  if (days.length === 7) return 'daily'
  const isRun = days.every((day, index) => day === days[0]! + index)
  const name = (day: number) => names[day - 1]!
  return isRun && days.length > 2 ? `${name(days[0]!)}–${name(days.at(-1)!)}` : days.map(name).join(', ')
}
