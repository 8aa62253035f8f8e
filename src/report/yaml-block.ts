import { isMap, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { ReportError } from '../errors.ts'
import { suggestion, unknownName } from '../suggest.ts'
import type { Place } from './tag.ts'

/**
 * YAML that fits a strict schema. `at` is where its first line stands. Throws `ReportError` with the line of the key
 * that is wrong; an unknown key is answered with the closest known one.
 */
export function parseYaml<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  at: Place,
): z.output<Schema> {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter })
  const place = (offset: number) => ({ file: at.file, line: at.line + counter.linePos(offset).line - 1 })
  const broken = document.errors[0] ?? document.warnings[0]
  if (broken) {
    throw new ReportError(`This is not YAML: ${broken.message.split('\n', 1)[0]}`, place(broken.pos[0]), {
      next: 'Put text that holds a colon, a brace at its start or a # in quotes.',
    })
  }
  const result = schema.safeParse(document.toJS() ?? {})
  if (result.success) return result.data
  // An unknown key is often a needed one misspelt: it is told before what is missing.
  const { issues } = result.error
  const issue = deepest(issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!)
  const path = issue.path.filter((key) => typeof key !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0]!
    const owner = path.length ? document.getIn(path, true) : document.contents
    const pair = isMap(owner) ? owner.items.find((item) => String(item.key) === key) : undefined
    const offset = (pair?.key as { range?: number[] } | undefined)?.range?.[0] ?? 0
    throw new ReportError(
      `The key "${key}" is not known here.`,
      place(offset),
      next(suggestion(key, keysOf(schema))),
    )
  }
  const node = path.length ? (document.getIn(path, true) as { range?: number[] } | undefined) : undefined
  const name = path.join('.')
  const value = path.length ? document.getIn(path) : undefined
  const offset = node?.range?.[0] ?? 0
  if (value === undefined && issue.code === 'invalid_type' && name)
    throw new ReportError(`The key "${name}" is missing.`, place(offset))
  const choices = choicesOf(issue)
  if (choices && typeof value === 'string') {
    throw new ReportError(`${name}: "${value}" is not possible here.`, place(offset), {
      next: unknownName(value, choices),
    })
  }
  throw new ReportError(name ? `${name}: ${issue.message}` : issue.message, place(offset))
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

function next(text: string | undefined): { next: string } | Record<string, never> {
  return text === undefined ? {} : { next: text }
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
