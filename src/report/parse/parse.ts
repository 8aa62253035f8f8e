import { basename } from 'node:path'
import type { z } from 'zod'
import { readYaml } from '../../config/yaml.ts'
import { FaultlineError, ReportError, unknownName } from '../../errors.ts'
import {
  type ChartBody,
  chartSchema,
  type FindingPart,
  type FrontMatter,
  findingsSchema,
  frontMatterSchema,
  type KpiBody,
  kpiSchema,
  type TableBody,
  tableSchema,
} from './block-schema.ts'
import type { Condition } from './condition.ts'
import { attempt, type Place, stop, type Tell } from './mistakes.ts'
import { parseParameters } from './parameters.ts'
import { type Fence, type Prose, parseProse } from './prose.ts'
import { parseTemplate, type Template } from './template.ts'

export interface Query {
  name: string
  sql: string
  at: Place
}

/** A block that shows something; `at` is the line of its first key. */
export type BlockSource =
  | { kind: 'kpis'; cards: KpiBody; at: Place }
  | { kind: 'findings'; about: readonly FindingPart[]; rest: Template[]; at: Place }
  | { kind: 'chart'; body: ChartBody; title: Template[][]; subtitle: Template[]; at: Place }
  | {
      kind: 'table'
      body: TableBody
      title: Template[][]
      subtitle: Template[]
      empty: Template[][]
      at: Place
    }

/** A condition of the front matter; `at` is the line of its name. */
export interface GateRule {
  name: string
  level: 'error' | 'warn'
  condition: Condition
  /** The condition as it is written. */
  when: string
  message: Template[]
  at: Place
}

/** A report as its author wrote it: checked for form, and nothing has been asked of the warehouse yet. */
export interface Report {
  /** File name without `.md`; also the name of the command, the page and the folder. */
  name: string
  file: string
  front: FrontMatter
  gates: GateRule[]
  queries: Query[]
  pieces: (Prose | BlockSource)[]
}

/** Every card of a report with the line of its block, in order. */
export function cardsOf({ pieces }: Report): { card: KpiBody[number]; at: Place }[] {
  return pieces.flatMap((piece) =>
    piece.kind === 'kpis' ? piece.cards.map((card) => ({ card, at: piece.at })) : [],
  )
}

/** Every text of a report in which tags can stand, in order. */
export function textsOf({ gates, pieces }: Report): Template[][] {
  return [
    ...gates.map(({ message }) => message),
    ...pieces.flatMap((piece) => {
      if (piece.kind === 'kpis') return []
      if (piece.kind === 'findings') return [piece.rest]
      if (piece.kind === 'list') return piece.items
      if ('content' in piece) return [piece.content]
      return [...piece.title, piece.subtitle, ...(piece.kind === 'table' ? piece.empty : [])]
    }),
  ]
}

/** Reads the text of a report file. Throws `ReportError` with file and line for the first mistake. */
export function parseReport(text: string, file: string): Report {
  return readReport(text, file, stop)!
}

/** Reads the text of a report file and tells every mistake in it. Undefined when it has no front matter to start from. */
export function readReport(written: string, file: string, tell: Tell): Report | undefined {
  const text = written.replace(/\r\n?/g, '\n').replace(/^\ufeff/, '')
  const found = /^---\n(.*?)\n---[ ]*(?:\n|$)/s.exec(text)
  if (!found) {
    tell(
      new ReportError(
        'The file does not begin with front matter.',
        { file, line: 1 },
        {
          next: 'Begin it with a line ---, a line `title: …`, and a line ---.',
        },
      ),
    )
    return undefined
  }
  const front = readFront(found[1]!, file, tell)
  const queries: Query[] = []
  const pieces: (Prose | BlockSource)[] = []
  for (const piece of parseProse(text.slice(found[0].length), file, found[0].split('\n').length, tell)) {
    if (piece.kind !== 'fence') pieces.push(piece)
    else if (/^sql\b/.test(piece.info)) {
      const one = attempt(() => query(piece, queries), tell)
      if (one) queries.push(one)
    } else {
      const one = attempt(() => blockSource(piece, tell), tell)
      if (one) pieces.push(one)
    }
  }
  const name = basename(file).replace(/\.md$/, '')
  return { name, file, front, gates: gateRules(front, found[1]!, file, tell), queries, pieces }
}

/** YAML that fits a schema; undefined where it does not, and every mistake in it is told. `at` is where its first line stands. */
function parseYaml<Schema extends z.ZodType>(text: string, schema: Schema, at: Place, tell: Tell) {
  const { data, mistakes } = readYaml(text, schema)
  for (const { line, message, ...rest } of mistakes) {
    tell(new ReportError(message, { file: at.file, line: at.line + line - 1 }, rest))
  }
  return data
}

function readFront(text: string, file: string, tell: Tell): FrontMatter {
  const front = parseYaml(text, frontMatterSchema, { file, line: 2 }, tell)
  if (!front) return frontMatterSchema.parse({ title: '' })
  try {
    parseParameters(front.params)
  } catch (cause) {
    if (!(cause instanceof FaultlineError)) throw cause
    const at = { file, line: lineOf(text, /^\s*params:/) }
    tell(new ReportError(cause.message, at, { cause, ...(cause.next ? { next: cause.next } : {}) }))
  }
  return front
}

/** The line of the file on which the front matter has something; its first when it has not. */
function lineOf(front: string, pattern: RegExp): number {
  const index = front.split('\n').findIndex((line) => pattern.test(line))
  return 2 + Math.max(0, index)
}

function gateRules({ fail_if, warn_if }: FrontMatter, text: string, file: string, tell: Tell): GateRule[] {
  const rules = (level: GateRule['level'], gates: FrontMatter['fail_if']) =>
    gates.map(({ name, when, message }): GateRule => {
      const at = { file, line: lineOf(text, new RegExp(`\\bname:\\s*["']?${name}\\b`)) }
      return {
        name,
        level,
        condition: when.condition,
        when: when.text,
        message: parseTemplate(message, at, tell),
        at,
      }
    })
  return [...rules('error', fail_if), ...rules('warn', warn_if)]
}

/** The files of what a report says of changes, of what it found, and of its incidents; no query may have their names. */
export const VERDICTS = 'verdicts'
export const FINDINGS = 'findings'
export const ALL_INCIDENTS = 'all_incidents'
const TAKEN = [VERDICTS, FINDINGS, ALL_INCIDENTS]

function query(fence: Fence, before: readonly Query[]): Query {
  const at = { file: fence.at.file, line: fence.at.line - 1 }
  const name = fence.info.replace(/^sql\s*/, '')
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new ReportError('A query needs a name of lower-case letters, digits and _.', at, {
      next: 'Write ```sql weekly, for example.',
    })
  }
  if (name.startsWith('scoped_') || TAKEN.includes(name) || before.some((other) => other.name === name)) {
    throw new ReportError(`The name "${name}" is taken.`, at, { next: 'Give this query another name.' })
  }
  return { name, sql: fence.text, at: fence.at }
}

function blockSource(fence: Fence, tell: Tell): BlockSource | undefined {
  const { at, text } = fence
  const texts = (written: string | string[], key: string) =>
    [written].flat().map((one) => parseTemplate(one, keyPlace(fence, key), tell))
  const templates = (body: { title: string | string[]; subtitle: string }) => ({
    title: texts(body.title, 'title'),
    subtitle: parseTemplate(body.subtitle, keyPlace(fence, 'subtitle'), tell),
  })
  switch (fence.info) {
    case 'kpi': {
      const cards = parseYaml(text, kpiSchema, at, tell)
      return cards && { kind: 'kpis', cards, at }
    }
    case 'findings': {
      const body = parseYaml(text || '{}', findingsSchema, at, tell)
      return (
        body && {
          kind: 'findings',
          about: body.about,
          rest: parseTemplate(body.rest, keyPlace(fence, 'rest'), tell),
          at,
        }
      )
    }
    case 'chart': {
      const body = parseYaml(text, chartSchema, at, tell)
      return body && { kind: 'chart', body, ...templates(body), at }
    }
    case 'table': {
      const body = parseYaml(text, tableSchema, at, tell)
      return body && { kind: 'table', body, ...templates(body), empty: texts(body.empty, 'empty'), at }
    }
    default: {
      const place = { file: at.file, line: at.line - 1 }
      const word = fence.info.split(/\s/, 1)[0] ?? ''
      throw new ReportError(word ? `A block of "${word}" is not known.` : 'A block needs its kind.', place, {
        next: unknownName(word, ['sql', 'findings', 'kpi', 'chart', 'table']),
      })
    }
  }
}

function keyPlace({ text, at }: Fence, key: string): Place {
  const index = text.split('\n').findIndex((line) => line.startsWith(`${key}:`))
  return { file: at.file, line: at.line + Math.max(0, index) }
}
