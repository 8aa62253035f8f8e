import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { schemaMarkdown } from '../../src/cli/schema-text.ts'
import { resources } from '../../src/resources/index.ts'
import { type Relation, readSchema } from '../../src/warehouse/schema/schema.ts'

let relations: Relation[]
beforeAll(async () => {
  relations = await readSchema(resources)
})

test('every relation, column and parameter of the warehouse has a description', () => {
  const silent = relations.flatMap(({ name, meaning, columns, parameters }) => [
    ...(meaning === '' ? [name] : []),
    ...[...columns, ...parameters].filter((one) => one.meaning === '').map((one) => `${name}.${one.name}`),
  ])
  expect(silent).toEqual([])
})

test('the warehouse schema escapes pipes and HTML tags in Markdown', () => {
  const page = schemaMarkdown([
    {
      name: 'odd',
      kind: 'view',
      meaning: 'under <1 h | or * `<kept>`',
      parameters: [],
      columns: [{ name: 'one', type: 'BIGINT', meaning: 'a | b' }],
    },
  ])
  expect(page).toContain('under &lt;1 h \\| or \\* `<kept>`')
  expect(page).toContain('| `one` | BIGINT | a \\| b |')
})

test('sql/REFERENCE.md equals the output of `faultline schema`', () => {
  const committed = readFileSync(new URL('../../sql/REFERENCE.md', import.meta.url), 'utf8')
  expect(
    committed === schemaMarkdown(relations),
    'sql/REFERENCE.md is out of step. Run: npm run build && node dist/bin/faultline.js schema > sql/REFERENCE.md',
  ).toBe(true)
})
