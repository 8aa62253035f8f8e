import { z } from 'zod'
import { type Band, defaultSettings } from '../settings/settings.ts'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const DAILY = [1, 2, 3, 4, 5, 6, 7]

/** Parses `Mon-Fri`, `Sat,Sun`, `Fri-Mon` or `daily`. Returns weekdays with 1 for Monday, or undefined if invalid. */
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

/** A preset, or custom bands in order of precedence. All other hours are `off`. */
export const hoursSchema = z
  .union([z.enum(['office', '24x7']), z.array(ownHours).min(1)], 'expected office, 24x7 or a list of bands')
  .transform((hours, context): readonly Band[] => {
    if (typeof hours === 'string') return presets[hours]
    const bands = [...hours, { band: 'off', days: 'daily', from: 0, to: 24 } as const].map(bandRows)
    const wrong = bands.indexOf(undefined)
    if (wrong < 0) return bands.flatMap((each, rank) => each!.map((row) => ({ ...row, rank: rank + 1 })))
    context.addIssue({
      code: 'custom',
      message: 'expected days such as Mon-Fri, Sat,Sun or daily, and different hours',
      path: [wrong],
    })
    return z.NEVER
  })

/** Splits a band over midnight into two rows. The second row applies to the following days. */
function bandRows({ band, days, from, to }: OwnHours): Omit<Band, 'rank'>[] | undefined {
  const weekdays = parseWeekdays(days)
  if (!weekdays || from === to) return undefined
  if (from < to) return [{ band, weekdays, from_hour: from, to_hour: to }]
  const next = weekdays.map((day) => (day % 7) + 1).sort((a, b) => a - b)
  return [
    { band, weekdays, from_hour: from, to_hour: 24 },
    { band, weekdays: next, from_hour: 0, to_hour: to },
  ].filter((row) => row.from_hour < row.to_hour)
}
