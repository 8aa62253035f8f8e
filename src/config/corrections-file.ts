import { readFileSync } from 'node:fs'
import { SEVERITIES } from '../contract/incident.ts'
import { ConfigError, unknownName } from '../errors.ts'
import { parseInstant } from '../settings/instant.ts'
import { unreadable } from '../settings/secret-file.ts'
import type { Correction } from '../settings/settings.ts'

const TIMES = ['start_time', 'ack_time', 'close_time', 'end_time']
const FIELDS = [...TIMES, 'incident_severity']
const COLUMNS = ['incident', 'field', 'value', 'who', 'why'] as const

/** Parses CSV records. Quoted cells can contain commas, quotes and line breaks. */
function linesOf(text: string) {
  const records: { line: number; cells: string[] }[] = []
  let line = 1
  let record = { line, cells: [] as string[] }
  for (const [whole, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    if (whole === '' && record.cells.length === 0) break
    record.cells.push((quoted?.replaceAll('""', '"') ?? plain).trim())
    line += whole.split('\n').length - 1
    if (end === ',') continue
    if (record.cells.some((cell) => cell !== '')) records.push(record)
    record = { line, cells: [] }
  }
  return records
}

/** Converts a time to ISO format, which DuckDB can read. Undefined if the time is invalid or has no time zone. */
function timeIn(text: string): string | undefined {
  const instant = parseInstant(text)
  return instant?.hasZone ? new Date(instant.ms).toISOString() : undefined
}

/** Describes the error in a correction and how to fix it. Undefined if the correction is valid. */
function wrongWith({ incident_id, field, value, who, why }: Omit<Correction, 'at'>): string | undefined {
  if (incident_id === '') return 'the incident is missing. Add its incident_id.'
  if (!FIELDS.includes(field)) return `"${field}" cannot be corrected. ${unknownName(field, FIELDS)}`
  if (who === '' || why === '') return '`who` and `why` are required.'
  if (field === 'incident_severity')
    return (SEVERITIES as readonly string[]).includes(value)
      ? undefined
      : `unknown severity "${value}". ${unknownName(value, SEVERITIES)}`
  if (timeIn(value) !== undefined || (value === '' && field !== 'start_time')) return undefined
  return `invalid time "${value}". Write it with a zone, such as 2026-03-01T08:00:00Z${field === 'start_time' ? '' : '; empty means "did not happen"'}.`
}

/** Reads the CSV file of corrections. @throws ConfigError listing every error with its line */
export function readCorrections(path: string): Correction[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (cause) {
    throw new ConfigError(`The corrections cannot be read from ${path}.`, {
      cause,
      next: unreadable(path, cause),
    })
  }
  const [first, ...lines] = linesOf(text)
  if (first?.cells.join() !== COLUMNS.join())
    throw new ConfigError(`${path}:1: these are not the expected columns.`, {
      next: `The first line must be ${COLUMNS.join(',')}.`,
    })
  const mistakes: string[] = []
  const seen = new Map<string, number>()
  const corrections = lines.map(({ line, cells }): Correction => {
    const [incident_id = '', field = '', value = '', who = '', why = ''] = cells
    const one = { incident_id, field, value, who, why }
    const earlier = seen.get(`${incident_id} ${field}`)
    const wrong =
      cells.length === COLUMNS.length
        ? (wrongWith(one) ?? (earlier && `duplicate of line ${earlier}. Keep one of them.`))
        : `expected ${COLUMNS.length} columns, found ${cells.length}. Put text with commas in quotes.`
    seen.set(`${incident_id} ${field}`, line)
    if (wrong) mistakes.push(`${path}:${line}: ${wrong}`)
    return { ...one, value: TIMES.includes(field) ? (timeIn(value) ?? value) : value, at: `${path}:${line}` }
  })
  if (mistakes.length === 0) return corrections
  const next = 'src/config/custom-definitions.md lists the fields that can be corrected.'
  const head = mistakes.length === 1 ? [] : [`The corrections have ${mistakes.length} errors.`]
  throw new ConfigError([...head, ...mistakes].join('\n'), { next })
}
