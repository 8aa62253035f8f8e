import { ConfigError, closestMatch } from '../../errors.ts'
import { isCalendarDay } from '../../settings/instant.ts'
import { addDays, daysBetween, type LocalDate, mondayOf } from '../scope/local-date.ts'

const names = ['day', 'week', 'month', 'quarter', 'year'] as const
export type Unit = (typeof names)[number]

/** A period such as `13 weeks`, `this month`, `2026-W12` or a range of days. `resolvePeriod` computes its dates. */
export type Period =
  | { kind: 'last'; unit: Unit; count: number }
  /** The current unit, and `count` whole units before it. */
  | { kind: 'this'; unit: Unit; count?: number }
  | { kind: 'named'; unit: Unit; from: LocalDate; name: string }
  | { kind: 'range'; from: LocalDate; to: LocalDate }

const units: Record<string, Unit> = Object.fromEntries(
  names.flatMap((unit) => [unit[0]!, unit, `${unit}s`].map((written) => [written, unit])),
)

const words: Record<string, Period> = {
  today: { kind: 'this', unit: 'day' },
  yesterday: { kind: 'last', unit: 'day', count: 1 },
}

const spellings = Object.keys(words).concat(
  names.slice(1).flatMap((unit) => [`last ${unit}`, `this ${unit}`]),
)

/** @throws ConfigError with an explanation if the period is invalid */
export function parsePeriod(written: string): Period {
  const text = written.trim().replace(/\s+/g, ' ').toLowerCase()
  if (Object.hasOwn(words, text)) return words[text]!
  const rolling = /^(?:last )?(\d+) ?([a-z]+)( to now)?$/.exec(text)
  if (rolling) return last(written, Number(rolling[1]), rolling[2]!, rolling[3] ? 'this' : 'last')
  const [, which, word] = /^(last|this) ([a-z]+)$/.exec(text) ?? []
  if (word !== undefined && Object.hasOwn(units, word) && word.length > 1 && !word.endsWith('s')) {
    return which === 'this'
      ? { kind: 'this', unit: units[word]! }
      : { kind: 'last', unit: units[word]!, count: 1 }
  }
  if (text.includes('..')) return range(written, text)
  if (/^\d{4}(-|$)/.test(text)) return named(written, text.toUpperCase())
  throw unreadable(written, closestMatch(text, spellings))
}

function last(written: string, count: number, word: string, kind: 'last' | 'this'): Period {
  if (!Object.hasOwn(units, word)) {
    const long = Object.keys(units).filter((unit) => unit.length > 1)
    const closest = closestMatch(word, long)
    throw unreadable(written, closest?.replace('"', `"${count} `))
  }
  if (count < 1) throw wrong(written, 'The number must be at least 1.', 'Example: 4 weeks.')
  refuseLong(written, count * DAYS[units[word]!])
  return { kind, unit: units[word]!, count }
}

function range(written: string, text: string): Period {
  const [from = '', to = '', more] = text.split('..').map((end) => end.trim())
  if (more !== undefined) throw wrong(written, 'A range has only a start and an end.', rangeHint)
  for (const end of [from, to]) {
    if (!isCalendarDay(end))
      throw wrong(written, `${end === '' ? 'A date is missing' : `"${end}" is not a valid date`}.`, rangeHint)
  }
  if (from >= to) throw wrong(written, 'Its end must be after its start.', rangeHint)
  refuseLong(written, daysBetween(from, to))
  return { kind: 'range', from, to }
}

const DAYS: Readonly<Record<Unit, number>> = { day: 1, week: 7, month: 31, quarter: 92, year: 366 }
const YEARS_MOST = 20

/** Rejects long periods, because they would take minutes to compute. */
function refuseLong(written: string, days: number): void {
  if (days <= YEARS_MOST * DAYS.year) return
  throw wrong(written, `A period can be at most ${YEARS_MOST} years long.`, 'Example: 2 years.')
}

const rangeHint = 'The end is exclusive: 2026-01-01..2026-02-01 is January.'

function named(written: string, name: string): Period {
  const year = name.slice(0, 4)
  const of = (unit: Unit, from: LocalDate): Period => ({ kind: 'named', unit, from, name })
  const [, week, quarter, month, day] =
    /^\d{4}(?:-W(\d{1,2})|-Q(\d)|-(\d{2})(?:-(\d{2}))?)?$/.exec(name) ?? []
  if (day !== undefined) {
    if (isCalendarDay(name)) return of('day', name)
    throw wrong(written, 'This date does not exist.', 'Write dates as 2026-03-31.')
  }
  if (month !== undefined) {
    if (isCalendarDay(`${name}-01`)) return of('month', `${name}-01`)
    throw wrong(written, `Month ${month} does not exist.`, 'Months are written 2026-03.')
  }
  if (quarter !== undefined) {
    if (quarter >= '1' && quarter <= '4') {
      return of('quarter', `${year}-${String(Number(quarter) * 3 - 2).padStart(2, '0')}-01`)
    }
    throw wrong(written, `Quarter ${quarter} does not exist.`, 'Quarters are 2026-Q1 to 2026-Q4.')
  }
  if (week !== undefined) {
    const weeks = weeksOf(year)
    if (Number(week) >= 1 && Number(week) <= weeks) {
      return of('week', addDays(mondayOf(`${year}-01-04`), 7 * (Number(week) - 1)))
    }
    throw wrong(written, `${year} has ${weeks} weeks.`, `Weeks are ${year}-W01 to ${year}-W${weeks}.`)
  }
  if (name === year) return of('year', `${year}-01-01`)
  throw unreadable(written)
}

/** Returns the number of ISO 8601 weeks in a year. The last week always contains 28 December. */
function weeksOf(year: string): number {
  const first = Date.parse(mondayOf(`${year}-01-04`))
  return (Date.parse(mondayOf(`${year}-12-28`)) - first) / (7 * 86_400_000) + 1
}

function wrong(written: string, reason: string, next: string): ConfigError {
  return new ConfigError(`"${written}" is not a period. ${reason}`, { next })
}

function unreadable(written: string, closest?: string): ConfigError {
  return new ConfigError(`"${written}" is not a period.`, {
    next:
      closest ??
      'Write for example 13 weeks, 90d, last month, this quarter, 2026-W12, 2026-03, 2026-Q1, or 2026-01-01..2026-03-01 (the end is exclusive).',
  })
}
