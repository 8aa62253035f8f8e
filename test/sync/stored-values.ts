import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** Returns the files below a folder that contain one of the values, as bytes or in a row of a compressed table. */
export async function holding(folder: string, values: readonly string[]): Promise<string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => statSync(file).isFile())
  const found: string[] = []
  for (const file of files) {
    const value = firstIn(readFileSync(file).toString('latin1'), values)
    if (value !== undefined) found.push(`${file}: ${value}`)
    if (/\.duckdb(\.sync)?$/.test(file)) found.push(...(await tablesHolding(file, values)))
  }
  return found
}

/** Returns the values that the text contains. First searches for one character of each value, which is much faster. */
function firstIn(text: string, values: readonly string[]): string | undefined {
  const marks = values.map((value) => (value.includes('@') ? '@' : value[0]!))
  for (const mark of new Set(marks)) {
    const group = values.filter((_, index) => marks[index] === mark)
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
      const value = group.find((one) => text.startsWith(one, at - one.indexOf(mark)))
      if (value !== undefined) return value
    }
  }
  return undefined
}

async function tablesHolding(file: string, values: readonly string[]): Promise<string[]> {
  return withFile(file, async (query) => {
    const found: string[] = []
    for (const [table] of await query("select table_name from duckdb_tables() where schema_name = 'main'")) {
      const rows = await query(`select to_json(t)::varchar from "${table}" t`)
      const value = firstIn(rows.join('\n'), values)
      if (value !== undefined) found.push(`${file}, ${table}: ${value}`)
    }
    return found
  })
}

export async function withFile<Result>(
  file: string,
  act: (query: (sql: string) => Promise<unknown[][]>) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    return await act(async (sql) => (await connection.runAndReadAll(sql)).getRowsJson() as unknown[][])
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
