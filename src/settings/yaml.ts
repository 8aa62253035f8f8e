import { type Document, isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import type { z } from 'zod'
import { unknownName } from '../errors.ts'

/** An error in a file that a user wrote. `line` counts from 1. */
export interface Mistake {
  readonly line: number
  readonly message: string
  readonly next?: string
  readonly unknownKey?: string
  readonly cause?: unknown
}

/** Result of reading a file. It has `data` or at least one error. */
export interface Reading<Output> {
  readonly data?: Output
  /** The valid remainder of an invalid file, so that callers can look for further errors. */
  readonly rest?: Pick<Reading<Output>, 'lineOf'> & { readonly data: Output }
  /** The content before the schema adds defaults. Null if the file is empty. */
  readonly written?: unknown
  /** Line of the value at a path, or 1 if it is not in the file. */
  lineOf(path: readonly PropertyKey[]): number
  readonly mistakes: readonly Mistake[]
}

/** Parses YAML, or JSON with comments, and validates it with a schema. Reports every error with its line. */
export function readYaml<Schema extends z.ZodType>(text: string, schema: Schema): Reading<z.output<Schema>> {
  const counter = new LineCounter()
  const bare = withoutComments(text)
  const document = parseDocument(bare ?? text, { lineCounter: counter })
  const kind = bare === undefined ? 'YAML' : 'JSON'
  const line = (offset: number) => counter.linePos(offset).line
  const lineOf = (path: readonly PropertyKey[]) => line(offsetOf(document, path))
  const broken = document.errors[0] ?? document.warnings[0]
  if (broken) {
    const message = `This is not valid ${kind}: ${broken.message.split('\n', 1)[0]}`
    const next =
      kind === 'JSON'
        ? 'Look for a missing comma, quote or bracket in this line or the line before.'
        : 'Put text in quotes if it contains a colon or #, or starts with a brace.'
    return { lineOf, mistakes: [{ line: line(broken.pos[0]), message, next }] }
  }
  const reserved = reservedKey(document)
  if (reserved !== undefined) {
    const message = 'The key "__proto__" is reserved'
    return { lineOf, mistakes: [{ line: line(reserved), message, next: 'Use another name.' }] }
  }
  let written: unknown
  try {
    written = document.toJS()
  } catch (cause) {
    // `toJS` resolves aliases. It throws if an alias has no anchor, or if aliases would expand until memory is full.
    const { offset, isLost } = aliasOf(document)
    const [message, next] = isLost
      ? [
          `This is not valid YAML: ${(cause as Error).message}`,
          'A * at the start of a text makes it an alias. Put the text in quotes.',
        ]
      : ['The aliases (*name) in this YAML expand without limit.', 'Replace the aliases by their values.']
    return { lineOf, mistakes: [{ line: line(offset), cause, message, next }] }
  }
  const result = schema.safeParse(written ?? {}, { error: unworded })
  if (result.success) return { data: result.data, written, lineOf, mistakes: [] }
  // A misspelled required key causes two errors. The unknown key comes first, because it explains the missing key.
  const first = (issue: Issue) => (issue.code === 'unrecognized_keys' ? 0 : 1)
  const issues = result.error.issues.flatMap(meant).toSorted((a, b) => first(a) - first(b))
  const mistakes = issues.flatMap((issue) => mistakesOf(issue, document, schema, line))
  const { left, pathOf } = withoutWrong(written ?? {}, issues)
  const rest = schema.safeParse(left, { error: unworded })
  if (!rest.success) return { written, lineOf, mistakes }
  return { written, lineOf, mistakes, rest: { data: rest.data, lineOf: (path) => lineOf(pathOf(path)) } }
}

/** Returns the offset of a key `__proto__`, which schemas would drop silently. Undefined if there is none. */
function reservedKey(document: Document): number | undefined {
  let offset: number | undefined
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== '__proto__') return undefined
      offset = key.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return offset
}

/** Copies the content without the invalid values. `pathOf` maps a path in the copy to the original path. */
function withoutWrong(written: unknown, issues: readonly Issue[]) {
  const at = (path: readonly PropertyKey[]) =>
    path.reduce((value: unknown, step) => (value as Record<PropertyKey, unknown> | null)?.[step], written)
  const paths = issues.flatMap(({ path, ...issue }) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path],
  )
  const keyOf = (path: readonly PropertyKey[]) => path.map(String).join('\n')
  const wrong = new Set(paths.map((path) => keyOf(at(path) === undefined ? path.slice(0, -1) : path)))
  const isKept = (path: readonly PropertyKey[]) => !wrong.has(keyOf(path))
  const copy = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const kept = Object.entries(value).filter(([key]) => isKept([...path, key]))
    const copied = kept.map(([key, one]) => [key, copy(one, [...path, key])] as const)
    return Array.isArray(value) ? copied.map(([, one]) => one) : Object.fromEntries(copied)
  }
  const pathOf = (path: readonly PropertyKey[]) => {
    const found: PropertyKey[] = []
    for (const step of path) {
      const list = at(found)
      const steps = Array.isArray(list) ? [...list.keys()].filter((one) => isKept([...found, one])) : []
      found.push(steps[Number(step)] ?? step)
    }
    return found
  }
  return { left: copy(written, []), pathOf }
}

/** Replaces comments in JSON with spaces, so that offsets stay the same. Returns undefined for YAML. */
function withoutComments(text: string): string | undefined {
  const bare = text
    .replace(/^\ufeff/, '')
    .replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
      part.startsWith('"') ? part : part.replace(/[^\n]/g, ' '),
    )
  return /^\s*[{[]/.test(bare) ? bare : undefined
}

/** Returns the offset of the value at a path, or of its parent if it is missing. 0 if the parent is also missing. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  const [own, parent] = [path, path.slice(0, -1)].map((one) =>
    one.length > 0 ? startOf(document.getIn(one, true)) : undefined,
  )
  return own ?? parent ?? 0
}

function startOf(node: unknown): number | undefined {
  return (node as { range?: number[] } | undefined)?.range?.[0]
}

/** Returns the offset of the first alias without an anchor (`isLost`), or of the first alias if all have anchors. */
function aliasOf(document: Document.Parsed): { readonly offset: number; readonly isLost: boolean } {
  let first: number | undefined
  let lost: number | undefined
  visit(document, {
    Alias(_, alias) {
      first ??= alias.range?.[0]
      if (alias.resolve(document) === undefined) lost ??= alias.range?.[0]
    },
  })
  return { offset: lost ?? first ?? 0, isLost: lost !== undefined }
}

function mistakesOf(
  issue: Issue,
  document: Document.Parsed,
  schema: z.ZodType,
  line: (offset: number) => number,
): Mistake[] {
  const path = issue.path.filter((key) => typeof key !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    const owner = path.length ? document.getIn(path, true) : document.contents
    return issue.keys.map((key) => {
      const pair = isMap(owner) ? owner.items.find((item) => String(item.key) === key) : undefined
      const place = path.some((step) => typeof step === 'string') ? ` in ${path.join('.')}` : ''
      return {
        line: line(startOf(pair?.key) ?? offsetOf(document, path)),
        message: `Unknown key "${key}"${place}.`,
        next: unknownName(key, keysAt([schema], path, isMap(owner) ? owner.toJSON() : {})),
        unknownKey: key,
      }
    })
  }
  const name = path.join('.')
  const value = path.length ? document.getIn(path) : undefined
  const at = { line: line(offsetOf(document, path)) }
  if (value === undefined && ['invalid_type', 'invalid_value'].includes(issue.code) && name)
    return [{ ...at, message: `The key "${name}" is missing.` }]
  const choices = choicesOf(issue)
  if (choices && typeof value === 'string') {
    return [{ ...at, message: `${name}: invalid value "${value}".`, next: unknownName(value, choices) }]
  }
  if (name === '' && issue.code === 'invalid_type' && issue.expected === 'array') {
    const next = 'Begin each entry with "- ", and indent its other keys like the first one.'
    return [{ ...at, message: 'This block must be a list.', next }]
  }
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  const next = issue.code === 'custom' ? issue.params?.next : undefined
  return [
    { ...at, message: name ? `${name}: ${message}` : message, ...(typeof next === 'string' && { next }) },
  ]
}

function choicesOf(issue: Issue): string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  return issue.code === 'invalid_union' && 'options' in issue ? issue.options?.map(String) : undefined
}

type Issue = z.core.$ZodIssue

/** Marks the error of a union whose schema has no message. `meant` replaces the error with those of a branch. */
const UNWORDED = ''

const unworded: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_union' && issue.errors.length > 0 ? UNWORDED : undefined

/** Replaces a union's error with the errors of its most deeply nested branch, which the user probably meant. */
function meant(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const depth = (branch: readonly Issue[]) => Math.max(...branch.map(({ path }) => path.length))
  const furthest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0]!
  if (depth(furthest) === 0 && issue.message !== UNWORDED) return [issue]
  return furthest.flatMap((inner) => meant({ ...inner, path: [...issue.path, ...inner.path] }))
}

/** Returns the keys that the schemas permit at a path. For a union, literal values in `written` select the branch. */
function keysAt(
  schemas: readonly z.ZodType[],
  path: readonly PropertyKey[],
  written: Readonly<Record<string, unknown>>,
): string[] {
  const branches = schemas.flatMap(branchesOf)
  const [step, ...rest] = path
  if (step === undefined) {
    const own = branches.filter(({ shape = {} }) =>
      Object.entries(shape).every(
        ([key, field]) => field._zod.def.type !== 'literal' || field.safeParse(written[key]).success,
      ),
    )
    const keys = (own.length > 0 ? own : branches).flatMap(({ shape, keyType }) =>
      Object.keys(shape ?? (keyType?._zod.def as Definition | undefined)?.entries ?? {}),
    )
    return [...new Set(keys)].filter((key) => key !== '$schema')
  }
  const inside = branches
    .flatMap(({ shape, element, valueType }) => [shape?.[String(step)], element, valueType])
    .filter((one) => one !== undefined)
  return inside.length === 0 ? [] : keysAt(inside, rest, written)
}

interface Definition {
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly keyType?: z.ZodType
  readonly entries?: Readonly<Record<string, string>>
  readonly options?: readonly z.ZodType[]
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
}

/** Returns the schema inside wrappers such as optional or default, or each branch of a union. */
function branchesOf(schema: z.ZodType): Definition[] {
  const definition = schema._zod.def as unknown as Definition
  const within =
    definition.options ?? [definition.innerType ?? definition.in].filter((one) => one !== undefined)
  return within.length > 0 ? within.flatMap(branchesOf) : [definition]
}
