import { basename } from 'node:path'
import { FaultlineError, ReportError } from '../errors.ts'
import { unknownName } from '../suggest.ts'
import { type FrontMatter, frontMatterSchema, type TableBody, tableSchema } from './block-schema.ts'
import { type ChartBody, chartSchema } from './chart-schema.ts'
import { type KpiBody, kpiSchema } from './kpi-schema.ts'
import { parseParameters } from './parameters.ts'
import { type Fence, type Prose, parseProse } from './prose.ts'
import type { Place } from './tag.ts'
import { parseTemplate, type Template } from './template.ts'
import { parseYaml } from './yaml-block.ts'

export interface Query {
  name: string
  sql: string
  at: Place
}

/** A block that shows something; `at` is the line of its first key. */
export type Exhibit =
  | { kind: 'kpis'; cards: KpiBody; at: Place }
  | { kind: 'chart'; body: ChartBody; title: Template[]; subtitle: Template[]; at: Place }
  | { kind: 'table'; body: TableBody; title: Template[]; subtitle: Template[]; at: Place }

/** A report as its author wrote it: checked for form, and nothing has been asked of the warehouse yet. */
export interface Report {
  /** File name without `.md`; also the name of the command, the page and the folder. */
  name: string
  file: string
  front: FrontMatter
  queries: Query[]
  pieces: (Prose | Exhibit)[]
}

/** Reads the text of a report file. Throws `ReportError` with file and line. */
export function parseReport(text: string, file: string): Report {
  const { front, body, firstLine } = splitFrontMatter(
    text.replace(/\r\n?/g, '\n').replace(/^\ufeff/, ''),
    file,
  )
  const queries: Query[] = []
  const pieces: (Prose | Exhibit)[] = []
  for (const piece of parseProse(body, file, firstLine)) {
    if (piece.kind !== 'fence') pieces.push(piece)
    else if (/^sql\b/.test(piece.info)) queries.push(query(piece, queries))
    else pieces.push(exhibit(piece))
  }
  return { name: basename(file).replace(/\.md$/, ''), file, front, queries, pieces }
}

function splitFrontMatter(text: string, file: string) {
  const found = /^---\n(.*?)\n---[ ]*(?:\n|$)/s.exec(text)
  if (!found) {
    throw new ReportError(
      'The file does not begin with front matter.',
      { file, line: 1 },
      {
        next: 'Begin it with a line ---, a line `title: …`, and a line ---.',
      },
    )
  }
  const front = parseYaml(found[1]!, frontMatterSchema, { file, line: 2 })
  try {
    parseParameters(front.params)
  } catch (cause) {
    if (!(cause instanceof FaultlineError)) throw cause
    const line =
      2 +
      Math.max(
        0,
        found[1]!.split('\n').findIndex((each) => /^\s*params:/.test(each)),
      )
    throw new ReportError(
      cause.message,
      { file, line },
      { cause, ...(cause.next ? { next: cause.next } : {}) },
    )
  }
  return { front, body: text.slice(found[0].length), firstLine: found[0].split('\n').length }
}

function query(fence: Fence, before: readonly Query[]): Query {
  const at = { file: fence.at.file, line: fence.at.line - 1 }
  const name = fence.info.replace(/^sql\s*/, '')
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new ReportError('A query needs a name of lower-case letters, digits and _.', at, {
      next: 'Write ```sql weekly, for example.',
    })
  }
  if (name.startsWith('scoped_') || before.some((other) => other.name === name)) {
    throw new ReportError(`The name "${name}" is taken.`, at, { next: 'Give this query another name.' })
  }
  return { name, sql: fence.text, at: fence.at }
}

function exhibit(fence: Fence): Exhibit {
  const { at, text } = fence
  const templates = (body: { title: string; subtitle: string }) => ({
    title: parseTemplate(body.title, keyPlace(fence, 'title')),
    subtitle: parseTemplate(body.subtitle, keyPlace(fence, 'subtitle')),
  })
  switch (fence.info) {
    case 'kpi':
      return { kind: 'kpis', cards: parseYaml(text, kpiSchema, at), at }
    case 'chart': {
      const body = parseYaml(text, chartSchema, at)
      return { kind: 'chart', body, ...templates(body), at }
    }
    case 'table': {
      const body = parseYaml(text, tableSchema, at)
      return { kind: 'table', body, ...templates(body), at }
    }
    default: {
      const place = { file: at.file, line: at.line - 1 }
      const word = fence.info.split(/\s/, 1)[0] ?? ''
      throw new ReportError(word ? `A block of "${word}" is not known.` : 'A block needs its kind.', place, {
        next: unknownName(word, ['sql', 'kpi', 'chart', 'table']),
      })
    }
  }
}

function keyPlace({ text, at }: Fence, key: string): Place {
  const index = text.split('\n').findIndex((line) => line.startsWith(`${key}:`))
  return { file: at.file, line: at.line + Math.max(0, index) }
}
