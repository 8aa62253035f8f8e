import { cleanForTerminal, escapeActing, shorten } from '../render/sanitize-text.ts'
import type { Cell } from '../warehouse/read/cell.ts'

/** Characters of a text from outside that are shown. */
const SHOWN = 300

/** What nobody sees and a model reads all the same: formats, tags, private and unassigned characters, selectors of variants. */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}\p{Variation_Selector}\ufffd‹›]/gu

/**
 * A text of the service as data: without control and unseen characters, cut, and between ‹ and ›, which it cannot leave. The
 * instructions of the server say that what stands between these is never one.
 */
export function wrapUntrusted(text: string, most = SHOWN): string {
  return `‹${shorten(cleanForTerminal(text.slice(0, 4 * most)).replace(UNSEEN, ''), most)}›`
}

/** What was marked, as it was typed back. */
export function typed(text: string): string {
  return text.replace(/^‹(.*)›$/s, '$1')
}

/** A value of a result: texts as data, moments in UTC, whole numbers beyond 2^53 as texts. */
export function dataCell(value: Cell): unknown {
  if (typeof value === 'string') return wrapUntrusted(value)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(dataCell)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [wrapUntrusted(key), dataCell(each)]),
    )
  return value
}

/** An answer as JSON, in which nothing acts where it is shown. */
export function jsonText(value: unknown): string {
  return escapeActing(JSON.stringify(value))
}
