import { onDatabase } from '../../src/definitions/duckdb.ts'

/** All values and definitions of a file as one text. Files with equal texts have equal contents. */
export async function contentOf(file: string): Promise<string> {
  return onDatabase(file, { access_mode: 'READ_ONLY', threads: '1' }, async (connection) => {
    const read = async (query: string) => (await connection.runAndReadAll(query)).getRows()
    const tables = await read('select table_name from duckdb_tables() where not internal order by all')
    const sums = []
    for (const [table] of tables) {
      const sum = `select count(*), bit_xor(hash(t)), sum(hash(t)::hugeint) from "${table}" t`
      sums.push([table, ...(await read(sum))[0]!])
    }
    const views = await read('select view_name, sql from duckdb_views() where not internal order by all')
    const macros = await read(
      'select function_name, macro_definition from duckdb_functions() where not internal order by all',
    )
    return JSON.stringify([sums, views, macros], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
  })
}
