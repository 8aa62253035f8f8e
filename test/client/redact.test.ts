import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact } from '../../src/client/redact.ts'
import { NetworkError, ServiceError } from '../../src/errors.ts'

const KEY = 'k/+ =é"$1'
const forms = (key: string) => [
  key,
  encodeURIComponent(key),
  encodeURIComponent(key).toLowerCase(),
  encodeURIComponent(encodeURIComponent(key)),
  encodeURI(key),
  new URLSearchParams({ key }).toString().slice('key='.length),
  new URL(`http://x/?${key.replaceAll('#', '%23')}`).search.slice(1),
  JSON.stringify(key).slice(1, -1),
  JSON.stringify(key)
    .slice(1, -1)
    .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
]

describe('redaction of secrets', () => {
  it("does not change the names of an error's properties, however short the secret", () => {
    const error = redact(new NetworkError('exit next', { next: 'x' }), ['x'])
    expect(error.exitCode).toBe(1)
    expect(error.message).not.toContain('x')
  })

  it.each(forms(KEY))('finds the key in the form %j', (form) => {
    expect(redact(`a ${form}, b ${form} c`, [KEY])).toBe('a [redacted], b [redacted] c')
  })

  it('finds every encoded form of any key', () => {
    const key = fc.string({ unit: 'grapheme', minLength: 4 }).filter((text) => text.trim().length >= 4)
    fc.assert(
      fc.property(key, (secret) => {
        // The parser of URLs drops tabs, line breaks and trailing blanks. Keys with these characters have no form as a
        // URL, so they are not tested.
        for (const form of forms(secret).filter((_, index) => index !== 6 || /^[ -~]*[!-~]$/.test(secret)))
          expect(redact(`<${form}>`, [secret])).toBe('<[redacted]>')
      }),
    )
  })

  it('finds the base64 form of any key of eight or more bytes, at any offset in the encoded text', () => {
    const key = fc.string({ unit: 'grapheme', minLength: 8 }).filter((text) => text.trim().length >= 8)
    fc.assert(
      fc.property(key, fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (secret, before, behind) => {
        for (const alphabet of ['base64', 'base64url'] as const) {
          const encoded = Buffer.from(before + secret + behind).toString(alphabet)
          // The first and last characters also encode bits of the neighboring bytes.
          const clean = redact(encoded, [secret])
          expect(clean).toContain('[redacted]')
          const left = Buffer.from(clean.split('[redacted]')[0]!, alphabet).length
          expect(left).toBeLessThanOrEqual(Buffer.byteLength(before) + 1)
        }
      }),
    )
    expect(redact(`Basic ${Buffer.from(`me:${KEY}`).toString('base64')}`, [KEY])).toMatch(
      /^Basic \S{3,5}\[redacted\]\S{0,3}$/,
    )
  })

  it('does not change the base64 form of a short secret, because that form occurs in many texts', () => {
    const text = Buffer.from('short').toString('base64')
    expect(redact(text, ['short'])).toBe(text)
  })

  it('removes the whole encoded form of a key that ends in a percent sign', () => {
    expect(redact('<100%25>', ['100%'])).toBe('<[redacted]>')
  })

  it('does not change text without secrets', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!text.includes('secret'))
        expect(redact(text, ['secret-key'])).toBe(text)
      }),
    )
    expect(redact({ a: ['x', 1, 2n, null, undefined, true] }, [''])).toEqual({
      a: ['x', 1, 2n, null, undefined, true],
    })
  })

  it('finds each of five thousand keys', () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `key-${index}-${'x'.repeat(40)}/${index}`)
    expect(redact(`a ${keys[0]}, b ${encodeURIComponent(keys[4_999]!)}`, keys)).toBe(
      'a [redacted], b [redacted]',
    )
  })

  it('finds a key that was added to the list later', () => {
    const keys = ['first-key']
    expect(redact('second-key', keys)).toBe('second-key')
    keys.push('second-key')
    expect(redact('first-key second-key', keys)).toBe('[redacted] [redacted]')
  })

  it('removes the longer of two keys that have the same beginning', () => {
    expect(redact('key-long key', ['key', 'key-long'])).toBe('[redacted] [redacted]')
  })

  it('cleans values of every type, including object keys and cycles, without changing the original', () => {
    const facts: Record<string, unknown> = {
      list: [`x${KEY}`],
      map: new Map([[KEY, new Set([KEY])]]),
      url: new URL(`http://h/?app_key=${encodeURIComponent(KEY)}`),
      at: new Date(0),
      [KEY]: KEY,
    }
    facts.self = facts
    const clean = redact(facts, [KEY])
    expect(inspect(clean, { depth: 9 })).not.toContain('k/+')
    expect(clean.at).toEqual(new Date(0))
    expect(clean.self).toBe(clean)
    expect(facts[KEY]).toBe(KEY)
  })

  it('keeps the class of an error, and cleans its message, stack, properties and causes', () => {
    const inner = Object.assign(new Error(`inner ${KEY}`), { path: `/x?app_key=${encodeURIComponent(KEY)}` })
    const error = new NetworkError(`outer ${KEY}`, {
      next: `next ${KEY}`,
      cause: new AggregateError([inner, new DOMException(KEY, 'AbortError')], `many ${KEY}`),
    })
    const clean = redact(error, [KEY])
    expect(clean).toBeInstanceOf(NetworkError)
    expect(clean).toMatchObject({ name: 'NetworkError', message: 'outer [redacted]', exitCode: 1 })
    expect(clean.next).toBe('next [redacted]')
    expect((clean.cause as AggregateError).errors[0].message).toBe('inner [redacted]')
    for (const form of forms(KEY)) expect(inspect(clean, { depth: 9, showHidden: true })).not.toContain(form)
    const service = new ServiceError('m', {
      operation: 'o',
      code: KEY,
      status: 400,
      requestId: 'r',
      next: '',
    })
    expect(redact(service, [KEY])).toMatchObject({ code: '[redacted]', operation: 'o', status: 400 })
  })
})
