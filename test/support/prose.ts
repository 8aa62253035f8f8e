import { parseAst } from 'vitest/node'
import { files, pages, textOf } from './markdown.ts'

/** A sentence of a comment, of a guide, or the title of a test. */
export interface Sentence {
  readonly file: string
  readonly text: string
}

/** Phrases that are hard to read. Each phrase had no false hit in up to 200 sentences of this repository. */
export const phrases: readonly { readonly name: string; readonly pattern: RegExp; readonly write: string }[] =
  [
    {
      name: 'What … as subject',
      pattern: /^(What|Who|Whoever|Whatever|Whom)\b[^?]*\.$/,
      write: 'a noun or verb first, such as "Returns …" or "Incidents that …"',
    },
    {
      name: 'is told',
      pattern: /\b(is|are|was|were) told\b(?! apart| from| to )/,
      write: '"is reported", "is shown"',
    },
    { name: 'is said', pattern: /\b(is|are|was|were) said\b/, write: '"is reported", "the text about …"' },
    { name: 'says nothing of', pattern: /\b(says?|knows?) nothing of\b/, write: '"omits", "excludes"' },
    { name: 'speaks of', pattern: /\b(speaks?|spoken) of\b/, write: '"covers", "names", "is about"' },
    {
      name: 'stands at',
      pattern: /\bstands? (at|in|on|beside|behind|below|above|where|there)\b/,
      write: '"is", "appears"',
    },
    { name: 'held against', pattern: /\bheld against\b/, write: '"compared with"' },
    { name: 'as many as there are', pattern: /\bas (many|much) as (there|it|they)\b/, write: 'the number' },
    {
      name: 'of so many',
      pattern: /\b(of|after|for|in|these) so (many|long)\b(?! that| as)/,
      write: 'the number, or "this many"',
    },
    { name: 'is none', pattern: /(?<!there )\b(is|are) none\b(?! of)/, write: '"is not …", "is invalid"' },
  ]

/** Files that tests and commands generate. */
const GENERATED = ['src/cli/README.md', 'src/config/README.md', 'sql/REFERENCE.md']

/** Returns all sentences that contain a phrase, as sorted lines `file: sentence` without duplicates. */
export function matches(): string[] {
  const found = files.filter((file) => !GENERATED.includes(file)).flatMap((file) => sentencesOf(file))
  return [
    ...new Set(found.filter(({ text }) => phraseIn(text)).map((one) => `${one.file}: ${one.text}`)),
  ].sort()
}

/** Returns the phrase that a sentence contains. Ignores code. */
export function phraseIn(text: string) {
  const plain = text.replace(/`[^`]*`/g, '`x`')
  return phrases.find(({ pattern }) => pattern.test(plain))
}

/** Returns the sentences of a file that people read, without code. */
export function sentencesOf(
  file: string,
  text = file.match(/\.(ts|sql|md)$/) ? textOf(file) : '',
): Sentence[] {
  const parts = file.endsWith('.ts')
    ? typescriptParts(text)
    : file.endsWith('.sql')
      ? sqlParts(text)
      : pages.includes(file)
        ? guideParts(text)
        : []
  return parts
    .flatMap((part) =>
      part
        .replace(/\s+/g, ' ')
        .trim()
        .split(/(?<=[.!?]) (?=[A-Z`])/),
    )
    .filter((sentence) => sentence.includes(' '))
    .map((sentence) => ({ file, text: sentence }))
}

/** The parts of a comment, which end at blank lines and at tags. */
const paragraphs = (comment: string) => comment.split(/\n\s*\n|\n?\s*@\w+/)

/** Comments and titles of tests. */
function typescriptParts(text: string): string[] {
  const { titles, code } = withoutLiterals(text)
  const comments = code.matchAll(/\/\*[\s\S]*?\*\/|(?:\/\/.*(?:\n[ \t]*(?=\/\/))?)+/g)
  return [...comments]
    .map(({ index, 0: { length } }) => text.slice(index, index + length))
    .map((comment) => comment.replace(/^\s*(\/\*\*?|\/\/|\*\/?)|\s*\*\/$/gm, ''))
    .flatMap((comment) => paragraphs(comment.replace(/```[\s\S]*?```/g, '')))
    .concat(titles)
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly name?: string
  readonly callee?: Node
  readonly object?: Node
  readonly arguments?: readonly Node[]
}

/** Replaces the literals of the code by blanks of equal length. Then each remaining `//` begins a comment. */
function withoutLiterals(text: string): { titles: string[]; code: string } {
  const titles: string[] = []
  const literals: Node[] = []
  const walk = (node: Node) => {
    if (/^(Literal|TemplateElement)$/.test(node.type)) literals.push(node)
    const [title] = node.arguments ?? []
    if (title && /^(Literal|TemplateLiteral)$/.test(title.type) && isTest(node.callee))
      titles.push(text.slice(title.start + 1, title.end - 1))
    for (const child of Object.values(node).flat()) if (isNode(child)) walk(child)
  }
  walk(parseAst(text, { lang: 'ts' }) as unknown as Node)
  let code = ''
  for (const { start, end } of literals.sort((one, other) => one.start - other.start))
    code += text.slice(code.length, start) + ' '.repeat(end - start)
  return { titles, code: code + text.slice(code.length) }
}

function isTest(callee: Node | undefined): boolean {
  const inner = callee?.object ?? callee?.callee
  return inner ? isTest(inner) : /^(test|it|describe)$/.test(callee?.name ?? '')
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** Returns the comments in SQL text. A line `-- name: meaning` starts a new part. */
function sqlParts(text: string): string[] {
  const comments = text.matchAll(/(?:^[ \t]*--.*\n?)+/gm)
  return [...comments].flatMap(([comment]) =>
    comment
      .replace(/^[ \t]*-- ?/gm, '')
      .split(/\n\s*\n|\n(?=[\w, ]+:)/)
      .map((part) => part.replace(/^[\w, ]+:/, '')),
  )
}

/** Paragraphs, items and cells of a page, without code. */
function guideParts(text: string): string[] {
  return text
    .replace(/```[\s\S]*?```|<!--[\s\S]*?-->/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/\n\s*\n|\n(?=\s*(?:[-|#*]|\d+\.))|(?<=^\|.*) \| /m)
    .filter((part) => !/^( {4}|\t)/.test(part))
    .map((part) => part.replace(/^[\s#|*-]+|[\s|]+$/g, ''))
}
