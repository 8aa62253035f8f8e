import MarkdownIt, { type Token } from 'markdown-it'
import { ReportError } from '../../errors.ts'
import { attempt, type Place, type Tell } from './report-errors.ts'
import { parseTemplate, type Template } from './template.ts'

/** A fenced block. `at` is the place of its first line. */
export interface Fence {
  kind: 'fence'
  info: string
  text: string
  at: Place
}

export type Prose =
  /** `folded` if the heading ends with `{folded}` in the source. */
  | { kind: 'heading'; level: number; content: Template[]; folded: boolean }
  | { kind: 'paragraph'; content: Template[] }
  | { kind: 'list'; ordered: boolean; items: Template[][] }

const markdown = new MarkdownIt('commonmark', { html: false })

/** Figures are filled in later, so that text from incidents cannot become markup. */
export function parseProse(body: string, file: string, firstLine: number, tell: Tell): (Prose | Fence)[] {
  const tokens = markdown.parse(body, {})
  const pieces: (Prose | Fence)[] = []
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!
    const at = { file, line: firstLine + (token.map?.[0] ?? 0) }
    if (token.type === 'fence') {
      const place = { file, line: at.line + 1 }
      pieces.push({ kind: 'fence', info: token.info.trim(), text: token.content, at: place })
    } else if (token.type === 'heading_open') {
      const level = Number(token.tag.slice(1))
      pieces.push({ kind: 'heading', level, ...heading(inline(tokens[index + 1]!, at, tell)) })
      index += 2
    } else if (token.type === 'paragraph_open') {
      pieces.push({ kind: 'paragraph', content: inline(tokens[index + 1]!, at, tell) })
      index += 2
    } else if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') {
      const end = endOf(tokens, index)
      const all = items(tokens.slice(index + 1, end), file, firstLine, tell)
      pieces.push({ kind: 'list', ordered: token.type === 'ordered_list_open', items: all })
      index = end
    } else if (token.type !== 'hr') {
      tell(unsupported(token, at))
      index = endOf(tokens, index)
    }
  }
  return pieces
}

/** Removes `{folded}` from the end of a heading, as in `## More {folded}`. */
function heading(content: Template[]): { content: Template[]; folded: boolean } {
  const last = content.at(-1)
  const words = last?.kind === 'text' ? /^(.*?)\s*\{folded\}$/.exec(last.text)?.[1] : undefined
  if (words === undefined) return { content, folded: false }
  const rest = content.slice(0, -1)
  return { content: words === '' ? rest : [...rest, { kind: 'text', text: words }], folded: true }
}

function endOf(tokens: Token[], index: number): number {
  const { type, level } = tokens[index]!
  if (!type.endsWith('_open')) return index
  const close = type.replace('_open', '_close')
  return tokens.findIndex((each, i) => i > index && each.type === close && each.level === level)
}

function items(tokens: Token[], file: string, firstLine: number, tell: Tell): Template[][] {
  const found: Template[][] = []
  for (const token of tokens) {
    const at = { file, line: firstLine + (token.map?.[0] ?? 0) }
    if (token.type === 'inline') found.push(inline(token, at, tell))
    else if (!/^(list_item|paragraph)_(open|close)$/.test(token.type) && token.nesting >= 0)
      tell(unsupported(token, at))
  }
  return found
}

function inline(token: Token, at: Place, tell: Tell): Template[] {
  const root: Template[] = []
  const stack: Template[][] = [root]
  let line = at.line
  for (const child of token.children ?? []) {
    const here = stack.at(-1)!
    if (child.type === 'text') put(here, ...parseTemplate(child.content, { file: at.file, line }, tell))
    else if (child.type === 'code_inline') here.push({ kind: 'code', text: child.content })
    else if (child.type === 'softbreak' || child.type === 'hardbreak') {
      put(here, { kind: 'text', text: ' ' })
      line++
    } else if (child.nesting === -1) stack.pop()
    else {
      const node = attempt(() => container(child, { file: at.file, line }), tell)
      if (node) here.push(node)
      if (child.nesting === 1) stack.push(node?.content ?? here)
    }
  }
  return root
}

/** Appends nodes. Merges adjacent texts, so that a line break inside a sentence has no effect. */
function put(to: Template[], ...nodes: Template[]): void {
  for (const node of nodes) {
    const last = to.at(-1)
    if (last?.kind === 'text' && node.kind === 'text') last.text += node.text
    else to.push(node)
  }
}

function container(token: Token, at: Place): Extract<Template, { content: Template[] }> {
  if (token.type === 'strong_open') return { kind: 'strong', content: [] }
  if (token.type === 'em_open') return { kind: 'emphasis', content: [] }
  if (token.type === 'link_open') {
    const href = String(token.attrGet('href'))
    if (/^https:\/\//i.test(href)) return { kind: 'link', href, content: [] }
    throw new ReportError(`The link to ${href} does not begin with https://.`, at)
  }
  throw unsupported(token, at)
}

function unsupported(token: Token, at: Place): ReportError {
  const kind = token.type.replace(/_open$/, '')
  return new ReportError(`Reports do not support this kind of Markdown (${kind}).`, at, {
    next: 'Use headings, paragraphs, flat lists, links, emphasis, and blocks of sql, kpi, chart and table.',
  })
}
