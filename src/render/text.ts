import { plain } from './format.ts'
import { type Child, h } from './html.ts'
import type { Change, FindingsBlock, Inline, KpiCard, Links, Tone, Value } from './result-parts.ts'

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

export function leadParagraphs({ opening, lines, also, rest, open, next }: FindingsBlock): Inline[][] {
  const text = (words: string): Inline => ({ kind: 'text', text: words })
  const said = [opening, ...lines.map((line) => line.text), also].filter((line) => line.length > 0)
  return [
    said.flatMap((line, index) => (index === 0 ? line : [text(' '), ...line])),
    [...rest],
    open.length === 0 ? [] : [{ kind: 'strong' as const, content: [text('Now:')] }, text(' '), ...open],
    next.length === 0
      ? []
      : [{ kind: 'strong' as const, content: [text('Next steps:')] }, text(' '), ...next],
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

/** Formats a target and its result, such as `✓ Objective: at least 90%`, or `Objective: at least 90% (inconclusive)`. */
export function targetText(target: NonNullable<KpiCard['target']>): string {
  const doubt = doubtOf(target)
  const objective = `Objective: ${target.text}`
  return doubt === null ? `${target.met ? '✓' : '✗'} ${objective}` : `${objective} (${doubt})`
}

export function doubtOf({ isNoise, isFew }: NonNullable<KpiCard['target']>): string | null {
  return isNoise ? (isFew ? 'too few to assess' : 'inconclusive') : null
}

const arrows = { up: '▲ ', down: '▼ ', none: '' } as const

type Verdict = Pick<Change, 'direction' | 'amount' | 'verdict' | 'tone'>

/** Formats the verdict on a change, such as `about the same`, `▲ 12% slower, worse` or `too few to compare`. */
export function verdictText({ direction, amount, verdict, tone }: Verdict): string {
  // The last word repeats the meaning of the color for readers who cannot see it.
  return `${arrows[direction]}${amount && `${amount} `}${verdict}${tone === 'same' ? '' : `, ${tone}`}`
}

/** Returns lines such as `Incidents: a change smaller than 40% would not be detected`. */
export function reachLines(kpis: readonly KpiCard[]): string[] {
  return kpis.flatMap(({ label, change }) => (change?.reach ? [`${label}: ${change.reach}`] : []))
}

/** Returns `previously 32 min (change: 95% CI −14 to +32%)`, for example. Empty if nothing is compared. */
export function basisText({ previous, note }: Pick<Change, 'previous' | 'note'>): string {
  return previous === null
    ? ''
    : `previously ${plain(previous)}${note && ` (change: 95%\u00a0CI\u00a0${note})`}`
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
