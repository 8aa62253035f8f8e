import { type Document, isMap, LineCounter, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { ReportError, suggestion, unknownName } from '../../errors.ts'
import type { Place, Tell } from './mistakes.ts'

/**
 * YAML that fits a strict schema, or undefined. `at` is where its first line stands. Each mistake is reported with the line of
 * the key that is wrong; an unknown key is answered with the closest known one.
 */
export function parseYaml<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  at: Place,
  tell: Tell,
): z.output<Schema> | undefined {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter })
  const place = (offset: number) => ({ file: at.file, line: at.line + counter.linePos(offset).line - 1 })
  const broken = document.errors[0] ?? document.warnings[0]
  if (broken) {
    tell(
      new ReportError(`This is not YAML: ${broken.message.split('\n', 1)[0]}`, place(broken.pos[0]), {
        next: 'Put text that holds a colon, a brace at its start or a # in quotes.',
      }),
    )
    return undefined
  }
  let value: unknown
  try {
    value = document.toJS() ?? {}
  } catch (cause) {
    // Aliases are followed only now: one without its anchor, or so many that they would fill the memory.
    const reason = cause instanceof Error ? cause.message : String(cause)
    tell(
      new ReportError(`This is not YAML: ${reason}`, place(aliasOf(document)), {
        cause,
        next: 'A * at the start of a text makes it an alias: put the text in quotes.',
      }),
    )
    return undefined
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  // An unknown key is often a needed one misspelt: it is reported before what is missing.
  const first = (issue: Issue) => (issue.code === 'unrecognized_keys' ? 0 : 1)
  const issues = result.error.issues.map(deepest).toSorted((a, b) => first(a) - first(b))
  for (const issue of issues) {
    for (const mistake of mistakesOf(issue, document, schema, place)) tell(mistake)
  }
  return undefined
}

/** Where the first alias without an anchor stands, or the first of all. */
function aliasOf(document: Document.Parsed): number {
  let first: number | undefined
  let lost: number | undefined
  visit(document, {
    Alias(_, alias) {
      first ??= alias.range?.[0]
      if (alias.resolve(document) === undefined) lost ??= alias.range?.[0]
    },
  })
  return lost ?? first ?? 0
}

function mistakesOf(
  issue: Issue,
  document: ReturnType<typeof parseDocument>,
  schema: z.ZodType,
  place: (offset: number) => Place,
): ReportError[] {
  const path = issue.path.filter((key) => typeof key !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    const owner = path.length ? document.getIn(path, true) : document.contents
    return issue.keys.map((key) => {
      const pair = isMap(owner) ? owner.items.find((item) => String(item.key) === key) : undefined
      const offset = (pair?.key as { range?: number[] } | undefined)?.range?.[0] ?? 0
      const closest = suggestion(key, keysOf(schema))
      return new ReportError(
        `The key "${key}" is not known here.`,
        place(offset),
        closest ? { next: closest } : {},
      )
    })
  }
  const node = path.length ? (document.getIn(path, true) as { range?: number[] } | undefined) : undefined
  const parent = document.getIn(path.slice(0, -1), true) as { range?: number[] } | undefined
  const name = path.join('.')
  const value = path.length ? document.getIn(path) : undefined
  const at = place(node?.range?.[0] ?? (path.length > 1 ? parent?.range?.[0] : undefined) ?? 0)
  if (value === undefined && ['invalid_type', 'invalid_value'].includes(issue.code) && name)
    return [new ReportError(`The key "${name}" is missing.`, at)]
  const choices = choicesOf(issue)
  if (choices && typeof value === 'string') {
    return [
      new ReportError(`${name}: "${value}" is not possible here.`, at, { next: unknownName(value, choices) }),
    ]
  }
  if (name === '' && issue.code === 'invalid_type' && issue.expected === 'array') {
    return [
      new ReportError('This block is a list, and what is written here is none.', at, {
        next: 'Begin each entry with "- ", and put its other keys below, as far in as the first.',
      }),
    ]
  }
  return [new ReportError(name ? `${name}: ${issue.message}` : issue.message, at)]
}

/** The words a value is chosen from, if it is. */
function choicesOf(issue: Issue): string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  return issue.code === 'invalid_union' && 'options' in issue ? issue.options?.map(String) : undefined
}

type Issue = z.core.$ZodIssue

/** A union fails with the issues of every branch: the branch that got furthest says what is meant. */
function deepest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue
  const inner = issue.errors.flat()[0]
  return inner ? { ...deepest(inner), path: [...issue.path, ...inner.path] } : issue
}

/** Every key that occurs anywhere in a schema, for suggestions. */
function keysOf(schema: z.ZodType, seen = new Set<unknown>()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const definition = schema._zod.def as unknown as Record<string, unknown>
  const shape = definition.shape as Record<string, z.ZodType> | undefined
  const inner = [definition.element, definition.innerType, ...((definition.options as unknown[]) ?? [])]
  return [
    ...Object.entries(shape ?? {}).flatMap(([key, value]) => [key, ...keysOf(value, seen)]),
    ...inner.filter(Boolean).flatMap((each) => keysOf(each as z.ZodType, seen)),
  ]
}
