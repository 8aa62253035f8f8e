import type { Int64 } from '../../contract/int64.ts'
import { type Piece, pieceOf } from '../json-writer.ts'
import { idOf } from './company.ts'
import { INTEGRATIONS } from './names.ts'

/** The integrations that an incident came from, as JSON. */
export interface SourceJson {
  readonly id: Piece
  readonly ids: Piece
  readonly type: Piece
  readonly types: Piece
}

/** By number of the main source: alone, and with the next one. */
export const SOURCES: readonly { readonly one: SourceJson; readonly both: SourceJson }[] = (() => {
  const all = INTEGRATIONS.map(([type], k) => ({ id: idOf(6_113_996_590_131, k, 0), type }))
  return all.map((source, k) => ({
    one: sourceJson([source]),
    both: sourceJson([source, all[(k + 1) % all.length]!]),
  }))
})()

/** Of an incident that somebody reported. */
export const NO_SOURCE: SourceJson = sourceJson([])

function sourceJson(sources: readonly { id: Int64; type: string }[]): SourceJson {
  const [first] = sources
  return {
    id: pieceOf(String(first?.id ?? 0)),
    ids: pieceOf(`[${sources.map((source) => source.id).join(',')}]`),
    type: pieceOf(JSON.stringify(first?.type ?? '')),
    types: pieceOf(JSON.stringify(sources.map((source) => source.type))),
  }
}
