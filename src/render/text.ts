import { plain } from './format.ts'
import { type Child, h } from './html.ts'
import type { FindingsBlock, Inline, Links, Tone, Value } from './result-parts.ts'

export function inlineHtml(content: readonly Inline[]): Child {
  return content.map(nodeHtml)
}

function nodeHtml(node: Inline): Child {
  if (node.kind === 'text') return node.text
  if (node.kind === 'code') return h('code', {}, node.text)
  if (node.kind === 'link') return safeLink(node.href, inlineHtml(node.content))
  if (node.kind === 'value') {
    const shown = h('span', { class: classOf(node.tone) }, plain(node.parts))
    return node.href ? h('a', { href: node.href }, shown) : shown
  }
  return h(node.kind === 'strong' ? 'strong' : 'em', {}, inlineHtml(node.content))
}

/** The class `value` prevents a line break before the unit. */
function classOf(tone: Tone | undefined): string | null {
  if (tone === undefined) return 'value'
  return tone === 'same' ? null : tone
}

/** Creates a link. If the address is not https, returns only the content. */
export function safeLink(href: string, content: Child): Child {
  return isSafe(href) ? h('a', { href, rel: 'noreferrer noopener' }, content) : content
}

export function isSafe(href: string): boolean {
  return /^https:\/\/[^\s\u0000-\u001f]+$/i.test(href)
}

/** Returns the address of the list to which all rows link. Null if they link to several lists or to none. */
export function linkTo(links: Links | null | undefined, rows: readonly (readonly Value[])[]): string | null {
  const found = new Set(rows.flatMap((row) => links?.get(row) ?? []))
  const [first = null] = found
  return found.size === 1 ? first : null
}

export function inlineText(content: readonly Inline[]): string {
  return content
    .map((node) =>
      node.kind === 'value' ? plain(node.parts) : 'content' in node ? inlineText(node.content) : node.text,
    )
    .join('')
}

/** Labels before the recommended actions, and before incidents that need attention. */
export const NEXT = 'Next steps:'
export const NOW = 'Now:'

export function leadParagraphs({ opening, lines, also, rest, open, next }: FindingsBlock): Inline[][] {
  const text = (words: string): Inline => ({ kind: 'text', text: words })
  const after = (label: string, words: readonly Inline[]): Inline[] =>
    words.length === 0 ? [] : [{ kind: 'strong', content: [text(label)] }, text(' '), ...words]
  const said = [opening, ...lines.map((line) => line.text), also].filter((line) => line.length > 0)
  return [
    said.flatMap((line, index) => (index === 0 ? line : [text(' '), ...line])),
    [...rest],
    after(NOW, open),
    after(NEXT, next),
  ].filter((paragraph) => paragraph.length > 0)
}

/** Returns only the first paragraph, because messages show open incidents and next steps separately. */
export function briefLead(block: FindingsBlock): Inline[][] {
  const [first = []] = leadParagraphs(block)
  return first.length > 0 ? [first] : []
}

export function leadText(block: FindingsBlock): string {
  return leadParagraphs(block).map(inlineText).join(' ')
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
