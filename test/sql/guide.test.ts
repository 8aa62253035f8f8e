import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { viewFiles } from '../../src/definitions/views.ts'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { run } from '../support/cli.ts'
import { ownFolder } from '../support/folder.ts'
import { withObjectives } from '../support/objectives.ts'
import { openReader } from '../support/storage.ts'

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const guide = textOf('sql/README.md')

const questions = [...guide.matchAll(/([^\n]+)\n\n```sql( may be empty)?\n([^`]+)\n```/g)].map(
  ([, question, empty, query]) => ({ question: question!, query: query!, mayBeEmpty: empty !== undefined }),
)

test('every SQL block in sql/README.md is tested', () => {
  expect(questions.length).toBe(guide.split('```sql').length - 1)
  expect(questions.length).toBeGreaterThan(25)
})

describe('sql/README.md has a query that answers', () => {
  const folder = ownFolder()
  const warehouse = join(folder, 'faultline.duckdb')
  let reader: Reader

  beforeAll(async () => {
    const sandbox = await startSandbox({ incidents: 2_000, limits: false })
    try {
      const environment = {
        FAULTLINE_APP_KEY: sandbox.appKey,
        FAULTLINE_BASE_URL: sandbox.baseUrl,
        FAULTLINE_WAREHOUSE: warehouse,
      }
      const { code, err } = await run(['sync', '--since', '200d'], environment, folder)
      expect([code, err]).toEqual([0, expect.not.stringContaining('error')])
    } finally {
      await sandbox.close()
    }
    reader = await openReader(warehouse, { settings: withObjectives })
  }, 300_000)
  afterAll(() => {
    reader?.close()
  })

  test.each(questions)('$question', async ({ query, mayBeEmpty }) => {
    const { columns, rows } = await reader.query(query)
    if (!mayBeEmpty) expect(rows.length).toBeGreaterThan(0)
    // A column that is null in all rows is an error in the query.
    const silent = columns.filter((_, place) => rows.length > 0 && rows.every((row) => row[place] === null))
    expect(silent.map(({ name }) => name).filter((name) => name !== 'message')).toEqual([])
  })
})

test('every relation in sql/ is used by a report, the program or sql/README.md', () => {
  const files = viewFiles()
  const read = (folder: string, end: RegExp) =>
    readdirSync(new URL(`../../${folder}/`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((path) => end.test(path))
      .map((path) => textOf(`${folder}/${path}`))
  const queries = [
    ...read('reports', /(?<!README)\.(md|sql)$/),
    ...read('src', /\.ts$/),
    ...questions.map(({ query }) => query),
  ]
  const isIn = (name: string, text: string) =>
    // The last alternative finds relations that are defaults of macro parameters.
    new RegExp(`\\b(from|join)\\s+${name}\\b|\\b${name}\\(|:= '${name}'`).test(text)
  const used = new Set(files.filter(({ name }) => queries.some((text) => isIn(name, text))))
  for (const { body, name } of used) {
    for (const other of files) if (other.name !== name && isIn(other.name, body)) used.add(other)
  }
  const unused = files.filter((file) => !used.has(file))
  expect(
    unused.map(
      ({ file, name, kind }) =>
        `${file}: nobody asks for ${name}. Write a question and its query (from ${name}${kind === 'view' ? '' : '()'}) ` +
        'into sql/README.md, or use it in a report of reports/',
    ),
  ).toEqual([])
})
