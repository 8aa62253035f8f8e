import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../src/contract/json.ts'

const beyond = fc.oneof(
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
)
/** Texts and names that break a careless parser or writer. */
const word = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toJSON',
    'isLosslessNumber',
    ':12345678901234567890',
    '',
    '\ud800',
  ),
)
const leaf = fc.oneof(
  beyond,
  fc.integer(),
  fc.maxSafeInteger(),
  // A whole double beyond 2^53 is written as an integer and therefore parsed as one.
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((one) => !Number.isInteger(one) || Number.isSafeInteger(one)),
  fc.boolean(),
  fc.constant(null),
  word,
)
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    // Creates own properties even for names such as __proto__, as JSON.parse does.
    fc
      .array(fc.tuple(word, tie('value')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries) as unknown),
  ),
}))

const plainText = fc
  .oneof(
    fc.json({ stringUnit: 'binary' }),
    fc.array(fc.tuple(word, fc.jsonValue())).map((entries) => JSON.stringify(Object.fromEntries(entries))),
  )
  .chain((text) => fc.constantFrom(text, ` ${text}\n`, JSON.stringify(JSON.parse(text), undefined, '\t')))

describe('parseJson', () => {
  test('returns the value that stringifyJson wrote, including integers beyond 2^53', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        // JSON.stringify writes -0 as 0.
        expect(parseJson(stringifyJson(value))).toEqual(withoutMinusZero(value))
      }),
    )
  })

  test('returns the same values as JSON.parse for everything except integers beyond 2^53', () => {
    fc.assert(
      fc.property(plainText, (text) => {
        fc.pre(!/(?:^|[\s:,[])-?\d{16,}(?![\d.eE])/.test(text.replaceAll(/"(\\.|[^"\\])*"/g, '""')))
        const [id, rest] = parseJson(`[9007199254740993, ${text}]`) as [unknown, unknown]
        expect(id).toBe(9007199254740993n)
        expect(rest).toEqual(JSON.parse(text))
      }),
    )
  })

  test.each([
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9007199254740991', 9007199254740991],
    ['[9007199254740992]', [9007199254740992n]],
    ['{"id":-9007199254740993}', { id: -9007199254740993n }],
    ['{"id" :\n\t9223372036854775807 }', { id: 9223372036854775807n }],
    ['[1.2345678901234567890]', [1.2345678901234567]],
    [
      '[12345678901234567890.5, 1e400, 12345678901234567890E2]',
      [12345678901234567000, Infinity, Number('12345678901234567890E2')],
    ],
    ['{"a":9007199254740993,"a":1}', { a: 1 }],
    ['{"a":1,"a":9007199254740993}', { a: 9007199254740993n }],
  ])('parses %s', (text, value) => {
    expect(parseJson(text)).toEqual(value)
  })

  test('treats a field named __proto__ as an ordinary field', () => {
    const parsed = parseJson('{"__proto__":{"admin":true},"id":9007199254740993}') as Record<string, unknown>
    expect(Object.keys(parsed)).toEqual(['__proto__', 'id'])
    expect(parsed.admin).toBeUndefined()
  })

  test.each([
    '',
    '{',
    '[9007199254740993',
    '{"a":9007199254740993,}',
    '[09007199254740993]',
    '[9007199254740993] x',
    'NaN',
    '[9007199254740993, 1.]',
  ])('rejects the invalid JSON %j', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })
})

describe('parseJson with a callback for raw tabs and line breaks', () => {
  function parsed(text: string): [value: unknown, calls: number] {
    let calls = 0
    const value = parseJson(text, () => calls++)
    return [value, calls]
  }

  test('parses any value with raw tabs and line breaks as if they were escaped', () => {
    const withRawControls = (text: string) =>
      text.replaceAll(/\\\\|\\"|\\[nrt]/g, (written) =>
        /^\\[\\"]/.test(written) ? written : JSON.parse(`"${written}"`),
      )
    const controls = fc.string({
      unit: fc.constantFrom('\n', '\t', '\0', '\u001f', '\\', '"', 'n', 'u', '0'),
    })
    const values = fc.oneof(anyValue, fc.array(controls), fc.dictionary(controls, anyValue))
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = stringifyJson(value, indent)
        const raw = withRawControls(text)
        expect(parsed(raw)).toEqual([parseJson(text), raw === text ? 0 : 1])
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    ['{"title":"a\nb\tc\r"}', { title: 'a\nb\tc\r' }],
    ['{"ti\ntle":1}', { 'ti\ntle': 1 }],
    ['{"a":"\\"","b":"\\\\","c":"x\ny"}', { a: '"', b: '\\', c: 'x\ny' }],
    ['{"id":9007199254740993,"title":"a\nb"}', { id: 9007199254740993n, title: 'a\nb' }],
    ['{"title":"a\n[9007199254740993,"}', { title: 'a\n[9007199254740993,' }],
  ])('accepts raw tabs and line breaks inside strings: %j', (text, value) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
    expect(parsed(text)).toEqual([value, 1])
  })

  test.each([
    '{"a":"\\\n"}',
    '{"a":"\\\0"}',
    '["\\x"]',
    '{"a":"x\ny"',
    '{"a":"x\ny",}',
    '[\u0001]',
    '{"title":"\u0001"}',
    '{"title":"\0"}',
    '{"title":"a\nb\u001b"}',
    '{"a":"\n"}\0',
  ])('rejects JSON with any other error without calling the callback: %j', (text) => {
    const call = () => expect.unreachable()
    expect(() => parseJson(text, call)).toThrow(SyntaxError)
  })

  test('does not call the callback for white space between values', () => {
    expect(parsed('{\n\t"a":\r\n1}')).toEqual([{ a: 1 }, 0])
  })
})

describe('stringifyJson', () => {
  test('writes the same text as JSON.stringify if the value contains no bigint', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(stringifyJson(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  test('writes all values except bigints in the same way as JSON.stringify', () => {
    const value = {
      at: new Date(0),
      none: undefined,
      list: [undefined, 1, 'ä"\ud800'],
      isLosslessNumber: true,
    }
    expect(stringifyJson({ id: 2n ** 60n, value })).toBe(
      `{"id":${2n ** 60n},"value":${JSON.stringify(value)}}`,
    )
  })

  test('writes undefined as null', () => {
    expect(stringifyJson(undefined)).toBe('null')
  })

  test('throws an error for a circular structure', () => {
    const circle: unknown[] = []
    circle.push(circle)
    expect(() => stringifyJson(circle)).toThrow(/circular|call stack/i)
  })
})

function withoutMinusZero(value: unknown): unknown {
  if (Object.is(value, -0)) return 0
  if (Array.isArray(value)) return value.map(withoutMinusZero)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutMinusZero(one)]))
}
