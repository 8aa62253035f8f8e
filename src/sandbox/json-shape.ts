import { type JsonWriter, type Piece, pieceOf } from './json-writer.ts'

/** Writes what differs from one value to the next. */
export type Slot<Value> = (value: Value, out: JsonWriter) => void

/** JSON with slots: the texts stand before, between and after them, one more than there are slots. */
export interface Shape<Value> {
  readonly texts: readonly string[]
  readonly slots: readonly Slot<Value>[]
}

/** A field that only some values have. */
interface Optional<Value> {
  readonly has: (value: Value) => boolean
  readonly field: Shape<Value> | Slot<Value>
}

/** What a field can be: the same always, something that differs, or not always there. */
export type Field<Value> = Shape<Value> | Slot<Value> | Optional<Value>

/** JSON that is the same for all values. */
export function fixed(json: string): Shape<unknown> {
  return { texts: [json], slots: [] }
}

/** What a slot writes, between two texts. */
export function between<Value>(before: string, slot: Slot<Value>, after: string): Shape<Value> {
  return { texts: [before, after], slots: [slot] }
}

/** What a slot writes, between quotes. */
export function inQuotes<Value>(slot: Slot<Value>): Shape<Value> {
  return between('"', slot, '"')
}

/** A field that is left out where a value has none. */
export function optional<Value>(
  has: (value: Value) => boolean,
  field: Shape<Value> | Slot<Value>,
): Optional<Value> {
  return { has, field }
}

/** An object with these fields, in their order. The first must not be optional. */
export function jsonObject<Value>(fields: Readonly<Record<string, Field<Value>>>): Shape<Value> {
  const parts = Object.entries(fields).map(([name, field], k) => {
    const key = fixed(`${k === 0 ? '{' : ','}${JSON.stringify(name)}:`)
    if (!('has' in field)) return joined([key, shapeOf(field)])
    const write = writerOf(joined([key, shapeOf(field.field)]))
    return shapeOf<Value>((value, out) => {
      if (field.has(value)) write(value, out)
    })
  })
  return joined([...parts, fixed('}')])
}

/** Writes values in a shape. Texts between two slots become one piece of bytes, made once. */
export function writerOf<Value>({ texts, slots }: Shape<Value>): Slot<Value> {
  const [first, ...rest] = texts.map(pieceOf)
  return (value, out) => {
    out.piece(first!)
    for (let k = 0; k < slots.length; k++) {
      slots[k]!(value, out)
      out.piece(rest[k]!)
    }
  }
}

function shapeOf<Value>(field: Shape<Value> | Slot<Value>): Shape<Value> {
  return typeof field === 'function' ? between('', field, '') : field
}

function joined<Value>(shapes: readonly Shape<Value>[]): Shape<Value> {
  const texts = ['']
  for (const shape of shapes) {
    texts.push(texts.pop()! + shape.texts[0]!, ...shape.texts.slice(1))
  }
  return { texts, slots: shapes.flatMap((shape) => shape.slots) }
}

/** Pieces of texts that come again and again; each is encoded once, so they must not be without end. */
export function piecesOnce(encode: (text: string) => string): (text: string) => Piece {
  const known = new Map<string, Piece>()
  return (text) => {
    let piece = known.get(text)
    if (piece === undefined) {
      piece = pieceOf(encode(text))
      known.set(text, piece)
    }
    return piece
  }
}
