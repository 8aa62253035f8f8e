import { z } from 'zod'
import { refuse } from '../settings/config-fields.ts'
import { type Band, defaultSettings } from '../settings/settings.ts'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const DAILY = [1, 2, 3, 4, 5, 6, 7]

/** Parses weekdays such as `Mon-Fri`, `Sat,Sun` or `daily`. Monday is 1. Undefined if the text is invalid. */
export function parseWeekdays(text: string): number[] | undefined {
  if (text.trim().toLowerCase() === 'daily') return DAILY
  const days = new Set<number>()
  for (const part of text.toLowerCase().split(',')) {
    const ends = part.split('-').map((word) => DAYS.indexOf(word.trim().slice(0, 3)))
    const [first = -1, last = first] = ends
    if (ends.length > 2 || first < 0 || last < 0) return undefined
    for (let day = first; ; day = (day + 1) % 7) {
      days.add(day + 1)
      if (day === last) break
    }
  }
  return [...days].sort((a, b) => a - b)
}

const hour = z.int().min(0).max(24)

const ownHours = z.strictObject({
  band: z.enum(['work', 'sleep', 'off']).describe('Band of these hours.'),
  days: z.string().default('daily').describe('Days when the band begins: `Mon-Fri`, `Sat,Sun` or `daily`.'),
  from: hour.describe('First hour of the band, 0 to 24.'),
  to: hour.describe('First hour after the band. If it is before `from`, the band ends on the next day.'),
})

type OwnHours = z.output<typeof ownHours>

const presets: Record<'office' | '24x7', readonly Band[]> = {
  office: defaultSettings.bands,
  '24x7': [{ band: 'work', weekdays: DAILY, from_hour: 0, to_hour: 24, rank: 1 }],
}

/** A preset, or a list of bands. The first band that contains an hour applies. All other hours are `off`. */
export const hoursSchema = z
  .union([z.enum(['office', '24x7']), z.array(ownHours).min(1)], 'expected office, 24x7 or a list of bands')
  .transform((hours, context): readonly Band[] => {
    if (typeof hours === 'string') return presets[hours]
    const bands = [...hours, { band: 'off', days: 'daily', from: 0, to: 24 } as const].map(bandRows)
    const wrong = bands.indexOf(undefined)
    if (wrong < 0) return bands.flatMap((each, rank) => each!.map((row) => ({ ...row, rank: rank + 1 })))
    return refuse(context, 'expected days such as Mon-Fri, Sat,Sun or daily, and different hours', [wrong])
  })

function bandRows({ band, days, from, to }: OwnHours): Omit<Band, 'rank'>[] | undefined {
  const weekdays = parseWeekdays(days)
  if (!weekdays || from === to) return undefined
  return splitAtMidnight(weekdays, from, to, 24).map(([weekdays, from_hour, to_hour]) => ({
    band,
    weekdays,
    from_hour,
    to_hour,
  }))
}

/** Splits hours that end on the next day. @param end end of a day, in the unit of `from` and `to`: 24 or 1440 */
export function splitAtMidnight(
  weekdays: readonly number[],
  from: number,
  to: number,
  end: number,
): (readonly [weekdays: readonly number[], from: number, to: number])[] {
  if (from < to) return [[weekdays, from, to]]
  const next = weekdays.map((day) => (day % 7) + 1).sort((a, b) => a - b)
  const parts = [[weekdays, from, end] as const, [next, 0, to] as const]
  return parts.filter(([, start, stop]) => start < stop)
}
