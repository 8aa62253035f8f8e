/** Texts in UTF-8, written one after another. */
export interface Notes {
  bytes: Buffer
  used: number
}

export function emptyNotes(): Notes {
  return { bytes: Buffer.allocUnsafe(4_096), used: 0 }
}

/** Writes a text; half a surrogate pair becomes U+FFFD. */
export function writeText(notes: Notes, text: string): void {
  reserve(notes, text.length * WIDEST)
  notes.used += notes.bytes.write(text, notes.used)
}

/** Bytes a UTF-16 unit takes in UTF-8 at most. */
export const WIDEST = 3

/** Writes bytes as they are. */
export function writeBytes(notes: Notes, bytes: Uint8Array, start: number, end: number): void {
  reserve(notes, end - start)
  const { bytes: to } = notes
  let { used } = notes
  for (let i = start; i < end; i++) to[used++] = bytes[i]!
  notes.used = used
}

/** Makes room for so many bytes more. */
export function reserve(notes: Notes, bytes: number): void {
  if (notes.used + bytes <= notes.bytes.length) return
  const larger = Buffer.allocUnsafe((notes.used + bytes) * 2)
  notes.bytes.copy(larger, 0, 0, notes.used)
  notes.bytes = larger
}
