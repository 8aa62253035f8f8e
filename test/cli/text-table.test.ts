import { expect, test } from 'vitest'
import { textTable } from '../../src/cli/text-table.ts'

test('columns stand in line, and no cell is a command to the terminal', () => {
  expect(
    textTable(
      [
        ['a', 'n'],
        ['\u001b[31mlong', '7'],
      ],
      [false, true],
    ),
  ).toEqual(['a     n', 'long  7'])
})

test('takes more rows than a call takes arguments', () => {
  expect(textTable(Array.from({ length: 300_000 }, (_, row) => [String(row)]))).toHaveLength(300_000)
})
