import { ReportError, unknownName } from '../../errors.ts'
import { type Format, format } from '../../render/spec.ts'
import { attempt, type Place, type Tell } from './report-errors.ts'

/** Text written by the author, in which tags are not filled in yet. */
export type Template =
  | { kind: 'text'; text: string }
  | { kind: 'tag'; tag: Tag }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: Template[] }
  | { kind: 'link'; href: string; content: Template[] }

/** Splits a text at its tags. Reports invalid tags and leaves them in the text. */
export function parseTemplate(text: string, at: Place, tell: Tell): Template[] {
  return text
    .split(/(\{\{.*?\}\})/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const isTag = piece.startsWith('{{') && piece.endsWith('}}')
      const tag = isTag ? attempt(() => parseTag(piece.slice(2, -2), at), tell) : undefined
      return tag ? { kind: 'tag', tag } : { kind: 'text', text: piece }
    })
}

export function tagsOf(template: readonly Template[]): Tag[] {
  return template.flatMap((node) =>
    node.kind === 'tag' ? [node.tag] : 'content' in node ? tagsOf(node.content) : [],
  )
}

/** A tag `{{ query.column | format }}`, filled from the row of the current period, or from the only row. */
export interface Tag {
  query: string
  column: string
  as: TagFormat
  at: Place
}

type TagFormat =
  | { kind: 'plain'; format: Format }
  | { kind: 'count'; of: string }
  | { kind: 'change'; better: 'lower' | 'higher' | 'neither' }
  /** The figure of the last complete week, with the expected range of all weeks. */
  | { kind: 'usual' }

const changes = {
  'change lower-is-better': 'lower',
  'change higher-is-better': 'higher',
  change: 'neither',
} as const

function parseTag(text: string, at: Place): Tag {
  const [, query, column, written] = /^([a-z]\w*)\.([a-z]\w*)(?:\s*\|\s*(.*))?$/i.exec(text.trim()) ?? []
  if (!query || !column)
    throw new ReportError(
      `The tag {{ ${text.trim()} }} does not have the form {{ query.column | format }}.`,
      at,
    )
  return { query, column, as: parseFormat((written ?? 'text').trim().replace(/\s+/g, ' '), at), at }
}

function parseFormat(text: string, at: Place): TagFormat {
  if (text === 'usual') return { kind: 'usual' }
  if (Object.hasOwn(changes, text)) return { kind: 'change', better: changes[text as keyof typeof changes] }
  const [, of] = /^count ([a-z][a-z -]*)$/i.exec(text) ?? []
  if (of) return { kind: 'count', of }
  const known = format.options.find((each) => each === text)
  if (known) return { kind: 'plain', format: known }
  throw new ReportError(`Unknown format "${text}".`, at, {
    next: unknownName(text, [...format.options, ...Object.keys(changes), 'usual', 'count incident']),
  })
}
