import { ReportError } from '../errors.ts'
import { unknownName } from '../suggest.ts'

/** A place in a report file; `line` counts from 1. */
export interface Place {
  file: string
  line: number
}

/** `{{ query.column | format }}`. A tag reads the row of the current period, or the only row. */
export interface Tag {
  query: string
  column: string
  as: TagFormat
  at: Place
}

export const plainFormats = ['duration', 'number', 'percent', 'date', 'time', 'text'] as const

export type TagFormat =
  | { kind: 'plain'; format: (typeof plainFormats)[number] }
  /** The change against the previous period, in words. */
  | { kind: 'change'; better: 'lower' | 'higher' | 'neither' }
  /** The newest whole bucket against the usual range of all of them. */
  | { kind: 'usual' }

const changes = {
  'change lower-is-better': 'lower',
  'change higher-is-better': 'higher',
  change: 'neither',
} as const

/** Reads what stands between the braces; throws `ReportError`. */
export function parseTag(text: string, at: Place): Tag {
  const [, query, column, written] = /^([a-z]\w*)\.([a-z]\w*)(?:\s*\|\s*(.*))?$/i.exec(text.trim()) ?? []
  if (!query || !column) {
    throw new ReportError(`The tag {{ ${text.trim()} }} is not of the form {{ query.column | format }}.`, at)
  }
  return { query, column, as: parseFormat((written ?? 'text').trim().replace(/\s+/g, ' '), at), at }
}

function parseFormat(text: string, at: Place): TagFormat {
  if (text === 'usual') return { kind: 'usual' }
  if (Object.hasOwn(changes, text)) return { kind: 'change', better: changes[text as keyof typeof changes] }
  const format = plainFormats.find((each) => each === text)
  if (format) return { kind: 'plain', format }
  throw new ReportError(`The format "${text}" is not known.`, at, {
    next: unknownName(text, [...plainFormats, ...Object.keys(changes), 'usual']),
  })
}
