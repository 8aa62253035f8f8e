/** What an answer usually takes at most, in bytes: a page of 100 incidents with long texts. */
const USUAL_BYTES = 384 * 1_024
/** Buffers that wait to be filled again, at most; more and longer ones are left to the garbage collector. */
const SPARES_MAX = 32

/** Text without anything that JSON escapes, or that takes more than one byte. */
const PLAIN = /^[ !#-[\]-~]*$/

const LOWER = pairs('0123456789abcdef')
const UPPER = pairs('0123456789ABCDEF')
const DECIMAL = pairs('0123456789')

/** All pairs of digits, in order, as two characters in 16 bits. */
function pairs(digits: string): Uint16Array {
  const codes = [...digits].map((digit) => digit.charCodeAt(0))
  return Uint16Array.from(codes.flatMap((first) => codes.map((second) => (first << 8) | second)))
}

/** The bytes of a text in words of eight: written word by word, they take half the time of `Buffer.set`. */
export interface Piece {
  readonly words: Float64Array
  /** In bytes; what the last word has beyond them is written over. */
  readonly length: number
}

/** Encodes a text in UTF-8, which never looks like the NaN whose bits a machine may change. */
export function pieceOf(text: string): Piece {
  const { length } = Buffer.from(text)
  const bytes = Buffer.alloc(Math.ceil(length / WORD) * WORD)
  bytes.write(text)
  return {
    words: Float64Array.from({ length: bytes.length / WORD }, (_, k) => bytes.readDoubleLE(k * WORD)),
    length,
  }
}

const WORD = 8

/**
 * Writes JSON straight into bytes. An incident is made of a hundred short pieces and forty numbers: to put them together
 * as a text, and then to encode that, took twice as long. Buffers are filled again when their bytes have been sent: where each
 * page gets fresh memory, a third of the time goes into getting it.
 */
export class JsonWriter {
  #bytes = Buffer.allocUnsafeSlow(USUAL_BYTES)
  #view = viewOf(this.#bytes)
  #at = 0
  readonly #spares: Buffer<ArrayBuffer>[] = []
  /** Whole buffers by the part that was given out. */
  readonly #lent = new WeakMap<Buffer, Buffer<ArrayBuffer>>()

  /** What `write` writes. Whoever is done with the bytes may give them back to `reuse`. */
  fill(write: (out: JsonWriter) => void): Buffer {
    // What was begun and failed is written over.
    this.#at = 0
    write(this)
    const filled = this.#bytes.subarray(0, this.#at)
    if (filled.length < USUAL_BYTES / 8) return Buffer.from(filled)
    this.#lent.set(filled, this.#bytes)
    this.#use(this.#spares.pop() ?? Buffer.allocUnsafeSlow(USUAL_BYTES))
    return filled
  }

  /** Takes bytes back that nobody reads any more. Others than those of `fill` are left alone. */
  reuse(filled: Buffer): void {
    const whole = this.#lent.get(filled)
    this.#lent.delete(filled)
    if (whole?.length === USUAL_BYTES && this.#spares.length < SPARES_MAX) this.#spares.push(whole)
  }

  /** A text that was encoded before. */
  piece({ words, length }: Piece): void {
    this.#makeRoom(length + WORD)
    const view = this.#view
    const at = this.#at
    for (let k = 0; k < words.length; k++) view.setFloat64(at + k * WORD, words[k]!, true)
    this.#at = at + length
  }

  /** Bytes as they are. */
  bytes(bytes: Buffer): void {
    this.#makeRoom(bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** A text as it is, in UTF-8. */
  text(text: string): void {
    // A UTF-16 unit takes three bytes at most.
    this.#makeRoom(3 * text.length)
    this.#at += this.#bytes.write(text, this.#at)
  }

  /** A text as a value of JSON. */
  quoted(text: string): void {
    if (!PLAIN.test(text)) {
      this.text(JSON.stringify(text))
      return
    }
    this.#makeRoom(text.length + 2)
    this.#bytes[this.#at] = QUOTE
    this.#bytes.write(text, this.#at + 1, 'latin1')
    this.#bytes[this.#at + text.length + 1] = QUOTE
    this.#at += text.length + 2
  }

  /** A whole number from 0 to 2^32 - 1. */
  integer(value: number): void {
    this.#makeRoom(10)
    const view = this.#view
    const start = this.#at
    let place = start + digitsOf(value)
    this.#at = place
    let rest = value
    while (rest >= 10) {
      const more = (rest / 100) >>> 0
      place -= 2
      view.setUint16(place, DECIMAL[rest - more * 100]!)
      rest = more
    }
    if (place > start) view.setUint8(start, ZERO + rest)
  }

  /** The last hexadecimal digits of 32 bits; so many, an even number. */
  hex(value: number, digits: number): void {
    this.#hex(value, digits, LOWER)
  }

  /** The same with capital letters. */
  upperHex(value: number, digits: number): void {
    this.#hex(value, digits, UPPER)
  }

  #hex(value: number, digits: number, table: Uint16Array): void {
    this.#makeRoom(digits)
    const view = this.#view
    const at = this.#at
    for (let place = digits - 2, rest = value; place >= 0; place -= 2, rest >>>= 8)
      view.setUint16(at + place, table[rest & 0xff]!)
    this.#at = at + digits
  }

  #makeRoom(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + bytes))
    larger.set(this.#bytes.subarray(0, this.#at))
    this.#use(larger)
  }

  #use(bytes: Buffer<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }
}

const QUOTE = 0x22
const ZERO = 0x30

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** Most numbers are times, the others are small. */
function digitsOf(value: number): number {
  if (value >= 1_000_000_000) return 10
  if (value < 10) return 1
  let digits = 2
  for (let limit = 100; value >= limit; limit *= 10) digits++
  return digits
}

/** What `write` writes, as a text. */
export function asText(write: (out: JsonWriter) => void): string {
  return scratch.fill(write).toString()
}

const scratch = new JsonWriter()
