import type { Parser } from './parse-tree.ts'

/** Settings that can appear in the text of a rule. */
export interface Choices {
  readonly limits: ReadonlyMap<string, number>
  readonly policies: ReadonlyMap<string, string>
  /** The hour bands as text, such as `night is 23–8 every day, working hours are 8–19 Mon–Fri`. */
  readonly hours: string
}

export async function choicesOf(parser: Parser): Promise<Choices> {
  const rowsOf = async (sql: string) => (await parser.runAndReadAll(sql)).getRows()
  const limits = await rowsOf('select name, value from config_thresholds')
  const policies = await rowsOf('select name, value from config_policies')
  const bands = await rowsOf(
    `select band, array_to_string(weekdays, ','), from_hour, to_hour from config_bands order by rank, from_hour desc`,
  )
  return {
    limits: new Map(limits.map(([name, value]) => [String(name), Number(value)])),
    policies: new Map(policies.map(([name, value]) => [String(name), String(value)])),
    hours: hoursText(bands.map((band) => band.map(String) as Band)),
  }
}

/** A row of `config_bands`: name, weekdays such as `1,2,3` (1 is Monday), first hour, and first hour after the band. */
type Band = [name: string, days: string, from: string, to: string]

function hoursText(bands: readonly Band[]): string {
  const names = new Set(bands.map(([name]) => name).filter((name) => name !== 'off'))
  const words = Array.from(names, (name) => {
    const rows = bands.filter(([band]) => band === name)
    const start = starts[name] ?? `${name} is`
    // A band across midnight has two rows. The row with the later hours comes first.
    const [[, days, from, until], [, , begin, to] = []] = rows as [Band, Band?]
    if (rows.length === 2 && until === '24' && begin === '0')
      return `${start} ${from}–${to} ${daysText(days)}`
    return `${start} ${rows.map(([, days, from, to]) => `${from}–${to} ${daysText(days)}`).join(' and ')}`
  })
  return words.join(', ') || 'no hours are set'
}

const starts: Record<string, string> = { sleep: 'night is', work: 'working hours are' }

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

function daysText(text: string): string {
  const days = text.split(',').map(Number)
  if (days.length === 7) return 'every day'
  const isRun = days.every((day, index) => day === days[0]! + index)
  const name = (day: number) => weekdays[day - 1]!
  return isRun && days.length > 2 ? `${name(days[0]!)}–${name(days.at(-1)!)}` : days.map(name).join(', ')
}

/** Matches a placeholder, such as `{hours}`, `{p90_min_n}` for a limit, or `{max(6, interval_min_n)}` for a maximum. */
const place = /\{(?:max\(([a-z0-9_, ]+)\)|([a-z][a-z0-9_]*))\}/g

export function fillPlaceholders(text: string, { limits, hours }: Choices): string {
  return text.replace(place, (_, several: string | undefined, one: string | undefined) => {
    if (one === 'hours') return hours
    const names = several?.split(',').map((name) => name.trim()) ?? [one!]
    const known = names.map((name) => (/^\d+$/.test(name) ? Number(name) : limits.get(name)))
    const values = known.filter((value) => value !== undefined)
    return values.length === 0 ? 'none' : inWords(names.at(-1)!, Math.max(...values))
  })
}

export function limitsIn(text: string): string[] {
  return [...text.matchAll(place)]
    .flatMap(([, several, one]) => several?.split(',').map((name) => name.trim()) ?? [one!])
    .filter((name) => name !== 'hours' && !/^\d+$/.test(name))
}

function inWords(name: string, value: number): string {
  if (name.endsWith('_share')) return `${value * 100}%`
  if (!name.endsWith('_s')) return String(value)
  const [size, unit] = [[86_400, 'days'] as const, [3_600, 'hours'] as const, [60, 'minutes'] as const].find(
    ([size]) => value >= 2 * size && value % size === 0,
  ) ?? [1, 'seconds']
  return `${value / size} ${unit}`
}
