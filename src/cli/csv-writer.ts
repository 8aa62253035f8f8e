import { toCsv } from '../render/to-csv.ts'
import type { Piece } from '../warehouse/read/rows.ts'

/**
 * Converts pieces of a result to CSV text. The first piece has no rows and becomes the header.
 * @param escapeFormulas puts an apostrophe in front of text that a spreadsheet would execute
 */
export function csvWriter(escapeFormulas = false): (piece: Piece) => string {
  const texts = escapeFormulas ? 'harmless' : 'as they are'
  let header = ''
  return ({ columns, rows }) => {
    header ||= toCsv({ columns, rows: [] } as never, texts)
    return rows.length === 0 ? header : toCsv({ columns, rows } as never, texts).slice(header.length)
  }
}
