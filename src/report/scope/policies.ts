import { weekdays } from '../../render/chart/heatmap.ts'
import { objectsOf } from '../../warehouse/read/objects-of.ts'
import type { Session } from '../../warehouse/read/session.ts'

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
  const policies = objectsOf(await session.query('from config_policies'))
  const chosen = new Map(policies.map(({ name, value }) => [String(name), String(value)]))
  const bands = objectsOf(await session.query('from config_bands order by rank, from_hour desc'))
  const words = [...new Set(bands.map(({ band }) => String(band)))]
    .filter((band) => band !== 'off')
    .map((band) => {
      const rows = bands.filter((row) => row.band === band)
      return bandText(
        band,
        rows.map(({ weekdays }) => weekdays as bigint[]),
        rows.map(({ from_hour }) => Number(from_hour)),
        rows.map(({ to_hour }) => Number(to_hour)),
      )
    })
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

function daysText(chosen: readonly bigint[]): string {
  const days = chosen.map(Number)
  if (days.length === 7) return 'daily'
  const isRun = days.every((day, index) => day === days[0]! + index)
  const name = (day: number) => weekdays[day - 1]!
  return isRun && days.length > 2 ? `${name(days[0]!)}–${name(days.at(-1)!)}` : days.map(name).join(', ')
}
