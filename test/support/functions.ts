import { parseAst } from 'vitest/node'

export interface FoundFunction {
  /** The name for error messages, such as `createLoader`, `describe 'a batch'` or `a function given to withLock`. */
  readonly name: string
  /** Number of lines of the body from `{` to `}`, including nested functions. */
  readonly lines: number
  /** Whether it is an argument of `describe`, which groups tests. */
  readonly isDescribe: boolean
}

/** The used fields of a node of the syntax tree (ESTree). */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly body?: Node
  readonly id?: Node
  readonly key?: Node
  readonly left?: Node
  readonly callee?: Node
  readonly object?: Node
  readonly property?: Node
  readonly arguments?: readonly Node[]
}

/** Returns all functions, methods and arrow functions, including nested ones, in the order of the text. */
export function functionsIn(text: string): FoundFunction[] {
  const found: FoundFunction[] = []
  const walk = (node: Node, parent: Node | undefined) => {
    const body = /Function(Declaration|Expression)$/.test(node.type) ? node.body : undefined
    if (body) {
      const name = nameOf(node, parent, text)
      const lines = textOf(body, text).split('\n').length
      found.push({ name, lines, isDescribe: /^describe ['`]/.test(name) })
    }
    for (const child of Object.values(node).flat()) if (isNode(child)) walk(child, node)
  }
  walk(parseAst(text, { lang: 'ts' }) as unknown as Node, undefined)
  return found
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function textOf(node: Node, text: string): string {
  return text.slice(node.start, node.end)
}

function nameOf(node: Node, parent: Node | undefined, text: string): string {
  const named = [node.id, parent?.id, parent?.key, parent?.left].find(isNode)
  if (named) return textOf(named, text)
  const callee = parent?.callee
  if (!callee) return 'a function without a name'
  const title = parent.arguments?.[0]
  if (title && /^(Literal|TemplateLiteral)$/.test(title.type))
    return `${textOf(rootOf(callee), text)} ${textOf(title, text)}`
  return `a function given to ${textOf(callee.property ?? callee, text)}`
}

/** Returns the `describe` of `describe.skipIf(…).each(…)`. */
function rootOf(callee: Node): Node {
  const inner = callee.object ?? callee.callee
  return inner ? rootOf(inner) : callee
}
