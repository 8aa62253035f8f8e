import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asText, JsonWriter, pieceOf } from '../../src/sandbox/json-writer.ts'

const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ minLength: 200 }))
const part = fc.oneof(
  fc.record({ kind: fc.constantFrom('piece', 'text', 'quoted'), text: anyText }),
  fc.record({ kind: fc.constantFrom('integer', 'hex', 'upperHex'), value: fc.nat(0xffff_ffff) }),
  fc.record({ kind: fc.constant('integer'), value: fc.nat(12).map((power) => 10 ** power % 2 ** 32) }),
)
type Part = { kind: string; text?: string; value?: number }

function write({ kind, text = '', value = 0 }: Part, out: JsonWriter): void {
  if (kind === 'piece') out.piece(pieceOf(text))
  else if (kind === 'text') out.text(text)
  else if (kind === 'quoted') out.quoted(text)
  else if (kind === 'integer') out.integer(value)
  else if (kind === 'hex') out.hex(value, 6)
  else out.upperHex(value, 8)
}

function plain({ kind, text = '', value = 0 }: Part): string {
  if (kind === 'quoted') return JSON.stringify(text)
  if (kind === 'integer') return String(value)
  if (kind === 'hex') return value.toString(16).padStart(8, '0').slice(2)
  if (kind === 'upperHex') return value.toString(16).padStart(8, '0').toUpperCase()
  return text
}

test('what is written is what texts put together and encoded would be', () => {
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const filled = new JsonWriter().fill((out) => {
        for (const one of parts) write(one, out)
      })
      // Pieces one by one: a half of a surrogate pair in each is encoded on its own.
      expect(filled).toEqual(Buffer.concat(parts.map((one) => Buffer.from(plain(one)))))
    }),
  )
})

test('it grows with what is written, and begins anew after a failure', () => {
  const out = new JsonWriter()
  const long = 'é'.repeat(700_000)
  expect(out.fill(() => out.quoted(long)).toString() === `"${long}"`).toBe(true)
  const broken = () =>
    out.fill(() => {
      out.text('half')
      throw new Error('broken')
    })
  expect(broken).toThrow('broken')
  expect(out.fill(() => out.integer(7)).toString()).toBe('7')
  expect(asText((one) => one.text('a'))).toBe('a')
})

test('bytes stay as they are until they are given back', () => {
  const out = new JsonWriter()
  const page = (letter: string) => out.fill(() => out.text(letter.repeat(100_000)))
  const kept = page('a')
  const given = page('b')
  out.reuse(given)
  out.reuse(given)
  out.reuse(Buffer.from('not one of its own'))
  const later = [...'cde'].map((letter) => ({ letter, bytes: page(letter) }))
  const inGiven = later.filter(({ bytes }) => bytes.buffer === given.buffer)
  expect(inGiven.length).toBe(1)
  for (const { bytes, letter } of [{ bytes: kept, letter: 'a' }, ...later])
    expect(bytes.toString() === letter.repeat(100_000)).toBe(true)
})
