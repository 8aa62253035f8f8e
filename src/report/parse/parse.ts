import { basename } from 'node:path'
import { FaultlineError, ReportError } from '../../errors.ts'
import { sources } from '../incidents/link-spec.ts'
import type { MadeQuery } from '../metrics/metric-blocks.ts'
import { type Metrics, metricsFor } from '../metrics/metric-file.ts'
import { type OwnMeasure, withMeasures } from '../metrics/own-measures.ts'
import { type FrontMatter, frontMatterSchema, type KpiBody } from './block-schema.ts'
import { type BlockSource, blockSource, type Maker, readBody } from './block-source.ts'
import type { Condition } from './condition.ts'
import { parseParameters } from './parameters.ts'
import { type Fence, type Prose, parseProse } from './prose.ts'
import { attempt, type Place, stop, type Tell } from './report-errors.ts'
import { parseTemplate, type Template } from './template.ts'

export interface Query extends Partial<MadeQuery> {
  name: string
  sql: string
  at: Place
}

/** A condition in `fail_if` or `warn_if`. `at` is the line of its name. */
export interface GateRule {
  name: string
  level: 'error' | 'warn'
  condition: Condition
  when: string
  message: Template[]
  at: Place
}

/** A parsed report whose queries have not run yet. */
export interface Report {
  /** File name without `.md`. Commands and output files use this name. */
  name: string
  file: string
  front: FrontMatter
  paramsAt: Place
  gates: GateRule[]
  queries: Query[]
  pieces: (Prose | BlockSource)[]
}

export function cardsOf({ pieces }: Pick<Report, 'pieces'>): { card: KpiBody[number]; at: Place }[] {
  return pieces.flatMap((piece) =>
    piece.kind === 'kpis' ? piece.cards.map((card) => ({ card, at: piece.at })) : [],
  )
}

export function textsOf({ gates, pieces }: Report): Template[][] {
  return [
    ...gates.map(({ message }) => message),
    ...pieces.flatMap((piece) => {
      if (piece.kind === 'kpis' || piece.kind === 'compare') return []
      if (piece.kind === 'findings') return [piece.rest]
      if (piece.kind === 'list') return piece.items
      if ('content' in piece) return [piece.content]
      return [...piece.title, piece.subtitle, ...(piece.kind === 'table' ? piece.empty : [])]
    }),
  ]
}

/** @throws ReportError for the first mistake */
export function parseReport(
  text: string,
  file: string,
  measures: readonly OwnMeasure[] | 'any' = [],
): Report {
  return readReport(text, file, stop, measures)!
}

/** Reports all mistakes. Returns undefined if the file has no front matter. */
export function readReport(
  written: string,
  file: string,
  tell: Tell,
  measures: readonly OwnMeasure[] | 'any' = [],
): Report | undefined {
  const text = written.replace(/\r\n?/g, '\n').replace(/^\ufeff/, '')
  const found = /^---\n(.*?)\n---[ ]*(?:\n|$)/s.exec(text)
  if (!found) {
    const next = 'Start it with a line ---, a line `title: …` and another line ---.'
    tell(new ReportError('The file does not begin with front matter.', { file, line: 1 }, { next }))
    return undefined
  }
  const front = readFront(found[1]!, file, tell)
  const metrics = withMeasures(metricsFor(file, tell), measures, tell)
  const queries: Query[] = []
  const pieces: (Prose | BlockSource)[] = []
  for (const piece of parseProse(text.slice(found[0].length), file, found[0].split('\n').length, tell)) {
    if (piece.kind !== 'fence') pieces.push(piece)
    else if (/^sql\b/.test(piece.info)) {
      const one = attempt(() => query(piece, queries), tell)
      if (one) queries.push(one)
    } else {
      const one = attempt(() => blockSource(piece, makerOf(queries, metrics), tell), tell)
      if (one) pieces.push(one)
    }
  }
  const name = basename(file).replace(/\.md$/, '')
  const paramsAt = { file, line: lineOf(found[1]!, PARAMS) }
  return { name, file, front, paramsAt, gates: gateRules(front, found[1]!, file, tell), queries, pieces }
}

function readFront(text: string, file: string, tell: Tell): FrontMatter {
  const at = { file, line: 2 }
  const front = readBody({ text, at }, frontMatterSchema, tell)?.body
  if (!front) return frontMatterSchema.parse({ title: '' })
  try {
    parseParameters(front.params)
  } catch (cause) {
    if (!(cause instanceof FaultlineError)) throw cause
    const at = { file, line: lineOf(text, PARAMS) }
    tell(new ReportError(cause.message, at, { cause, next: cause.next }))
  }
  return front
}

const PARAMS = /^\s*params:/

function lineOf(front: string, pattern: RegExp): number {
  const index = front.split('\n').findIndex((line) => pattern.test(line))
  return 2 + Math.max(0, index)
}

function gateRules({ fail_if, warn_if }: FrontMatter, text: string, file: string, tell: Tell): GateRule[] {
  const rules = (level: GateRule['level'], gates: FrontMatter['fail_if']) =>
    gates.map(({ name, when, message }): GateRule => {
      const at = { file, line: lineOf(text, new RegExp(`\\bname:\\s*["']?${name}\\b`)) }
      const { condition, text: written } = when
      return { name, level, condition, when: written, message: parseTemplate(message, at, tell), at }
    })
  return [...rules('error', fail_if), ...rules('warn', warn_if)]
}

/** Queries cannot have these names, because reports write files with the same names. */
export const VERDICTS = 'verdicts'
export const FINDINGS = 'findings'

const TAKEN = [VERDICTS, FINDINGS, ...Object.values(sources).map(({ relation }) => relation)]

function makerOf(queries: Query[], metrics: Metrics): Maker {
  return {
    metrics,
    put(query) {
      const same = queries.find(({ sql, conditions }) => conditions !== undefined && sql === query.sql)
      if (same && !query.isNamed) return same.name
      const others = queries.map(({ name }) => name)
      if (query.isNamed) checkName(query.name, others, query.at)
      const { isNamed: _, ...made } = query
      let name = query.name
      for (let place = 2; others.includes(name); place++) name = `${query.name}_${place}`
      queries.push({ ...made, name })
      return name
    },
  }
}

function query(fence: Fence, before: readonly Query[]): Query {
  const name = fence.info.replace(/^sql\s*/, '')
  const others = before.map((one) => one.name)
  checkName(name, others, { file: fence.at.file, line: fence.at.line - 1 })
  return { name, sql: fence.text, at: fence.at }
}

function checkName(name: string, others: readonly string[], at: Place): void {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    const next = 'Write ```sql weekly, for example.'
    throw new ReportError('A query requires a name of lower-case letters, digits and _.', at, { next })
  }
  const next = 'Give this query another name.'
  if (name.startsWith('scoped_') || TAKEN.includes(name) || others.includes(name))
    throw new ReportError(`The name "${name}" is already used or reserved.`, at, { next })
}
