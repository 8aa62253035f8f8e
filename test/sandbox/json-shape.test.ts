import { expect, test } from 'vitest'
import { between, fixed, inQuotes, jsonObject, optional, writerOf } from '../../src/sandbox/json-shape.ts'
import { asText } from '../../src/sandbox/json-writer.ts'

interface Box {
  size: number
  label: string
}

const box = writerOf<Box>(
  jsonObject({
    kind: fixed('"box"'),
    'a "key"': fixed('[1,2]'),
    size: ({ size }, out) => out.integer(size),
    label: optional(
      ({ label }) => label !== '',
      ({ label }, out) => out.quoted(label),
    ),
    lid: optional(({ size }: Box) => size > 1, fixed('null')),
    inner: jsonObject<Box>({
      code: inQuotes(({ size }, out) => out.hex(size, 4)),
      sizes: between('[', ({ size }, out) => out.integer(size), ']'),
    }),
  }),
)

test('an object is written field by field, without those that a value does not have', () => {
  const inner = (code: string, size: number) => ({ code, sizes: [size] })
  const told = (value: Box) => JSON.parse(asText((out) => box(value, out)))
  const always = { kind: 'box', 'a "key"': [1, 2] }
  expect(told({ size: 1, label: '' })).toEqual({ ...always, size: 1, inner: inner('0001', 1) })
  expect(told({ size: 258, label: 'ü' })).toEqual({
    ...always,
    size: 258,
    label: 'ü',
    lid: null,
    inner: inner('0102', 258),
  })
})
