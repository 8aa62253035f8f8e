import { cleanForTerminal } from '../../render/sanitize-text.ts'
import { wrapped } from '../../render/terminal/paint.ts'
import type { Described, Relation } from '../../warehouse/schema/schema.ts'
import { SECTIONS } from '../schema-text.ts'
import { textTable } from '../text-table.ts'

/** Minimum width of a description. If the terminal is too narrow for it, lines are longer than the screen. */
const NARROWEST = 30

export function listText(relations: readonly Relation[], width: number): string {
  const groups = SECTIONS.flatMap(([kind, title]) => {
    const own = relations.filter((relation) => relation.kind === kind)
    const rows = own.map(({ name, meaning }) => [`  ${name}`, firstSentence(meaning)])
    return own.length === 0 ? [] : [`${title} (${own.length})`, ...textTable(rows, [], width), '']
  })
  return `${[...groups, '\\d NAME describes one.'].join('\n')}\n`
}

export function relationLines(relation: Relation, width: number): string {
  const { name, kind, meaning, parameters, columns } = relation
  const call = kind.endsWith('macro') ? `(${parameters.map((one) => one.name).join(', ')})` : ''
  const lines = [
    ...wrapped(`${name}${call}: ${KINDS[kind]}`, width),
    ...wrapped(meaning.replaceAll('\n', ' '), width),
    ...partOf('parameters', parameters, width),
    ...partOf('columns', columns, width),
  ]
  return `${lines.map(cleanForTerminal).join('\n')}\n`
}

const KINDS: Readonly<Record<Relation['kind'], string>> = {
  view: 'a view',
  metric: 'a metric as a view',
  'table macro': 'called like a table',
  'shape macro': 'an empty relation, called like a table',
  macro: 'called like a function',
  service: 'a table of the service',
  sync: 'a table of the sync and the reports',
  settings: 'settings as a table',
}

function partOf(what: string, described: readonly Described[], width: number): string[] {
  if (described.length === 0) return []
  const indent = Math.max(...described.map(({ name }) => name.length)) + 4
  const lines = described.flatMap(({ name, type, meaning }) => {
    const words = [type, meaning.replaceAll('\n', ' ')].filter((one) => one !== '').join(': ')
    const [first = '', ...rest] = wrapped(words, Math.max(NARROWEST, width - indent))
    return [`  ${name}`.padEnd(indent) + first, ...rest.map((line) => ' '.repeat(indent) + line)]
  })
  return ['', what, ...lines.map((line) => line.trimEnd())]
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(text)?.[0] ?? text
}
