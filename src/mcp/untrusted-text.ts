import { cleanForTerminal, escapeActing, shorten } from '../render/sanitize-text.ts'
import type { Cell } from '../warehouse/read/cell.ts'

const SHOWN = 300

/** Characters that are invisible to people but read by models: formats, tags, private, unassigned and variation selectors. */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}\p{Variation_Selector}\ufffd‹›]/gu

/**
 * Marks text of the service as data: cleaned, shortened, and enclosed in ‹ and ›, which the text itself cannot contain.
 * The server’s instructions say that enclosed text is never an instruction.
 */
export function wrapUntrusted(text: string, most = SHOWN): string {
  return `‹${shorten(cleanForTerminal(text.slice(0, 4 * most)).replace(UNSEEN, ''), most)}›`
}

/** Returns user input without the ‹ › of a copied name. */
export function typed(text: string): string {
  return text.replace(/^‹(.*)›$/s, '$1')
}

/** Converts a cell. Texts are marked as data, times are in UTC, and unsafe integers become strings. */
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

/** Serializes an answer as JSON, and escapes control characters that a terminal or page would interpret. */
export function jsonText(value: unknown): string {
  return escapeActing(JSON.stringify(value))
}
