import { parseAst } from 'vitest/node'

/** The used fields of a node of the syntax tree (ESTree). */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly callee?: Node
  readonly value?: unknown
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[]
}

/**
 * Returns texts of code that look like sentences: at least four words, with a capital at the start or a full stop at the
 * end. Texts of errors do not count, because an error states its own cause and remedy.
 */
export function sentencesIn(text: string): string[] {
  const found: string[] = []
  const walk = (node: Node) => {
    if (isError(node, text)) return
    const said = textOf(node)
    if (said !== null && isSentence(said)) found.push(said)
    for (const child of Object.values(node).flat()) if (isNode(child)) walk(child)
  }
  walk(parseAst(text, { lang: 'ts' }) as unknown as Node)
  return found
}

function isError({ type, callee }: Node, text: string): boolean {
  if (type === 'ThrowStatement') return true
  return type === 'NewExpression' && /Error$/.test(text.slice(callee!.start, callee!.end))
}

/** Returns the text of a literal or template, with `…` for each expression. Null for another node. */
function textOf({ type, value, quasis }: Node): string | null {
  if (type === 'Literal' && typeof value === 'string') return value
  return type === 'TemplateLiteral' ? quasis!.map((part) => part.value.cooked).join('…') : null
}

/** Words are in lower case and not part of SQL, a path or a class. SQL is recognized by its lower case and its line breaks. */
function isSentence(text: string): boolean {
  const words = text.match(/(?<![\w.<'"$-])[a-z]{2,}(?![\w('"=:-])/g) ?? []
  return (
    words.length >= 4 && !text.includes('\n') && (/^\s*[A-Z“]/.test(text) || /\w[.?!]$/.test(text.trim()))
  )
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
