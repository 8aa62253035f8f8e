import { ADDRESS_PATTERN } from '../../resources/privacy/kinds.ts'
import { literal, name } from '../quote.ts'
import type { Session } from './reader.ts'

/** A column of the file in which so many rows hold what looks like an e-mail address. */
interface AddressColumn {
  readonly table: string
  readonly column: string
  readonly rows: bigint
}

/** Every stored column that still holds what looks like an e-mail address, whatever the table is for. */
export async function addressColumns(session: Session): Promise<AddressColumn[]> {
  const { rows: columns } = await session.query(`
    select c.database_name, c.schema_name, c.table_name, c.column_name
    from duckdb_columns() c
    join duckdb_tables() t using (database_name, schema_name, table_name)
    where not t.temporary and not t.internal and c.data_type in ('VARCHAR', 'VARCHAR[]', 'JSON')
    order by c.table_name, c.column_index`)
  const nameOf = (row: readonly unknown[]) => row.slice(0, 3).map((part) => name(String(part)))
  const found: AddressColumn[] = []
  for (const from of new Set(columns.map((row) => nameOf(row).join('.')))) {
    const list = columns.filter((row) => nameOf(row).join('.') === from)
    const texts = list.map(([, , , column]) => `${name(String(column))}::varchar`)
    // One expression for all columns: DuckDB takes milliseconds to compile the pattern, and does so for each that is written.
    const { rows } = await session.query(`
      select position, count(*) from (select unnest([${texts}]) as text, unnest(range(${texts.length})) as position from ${from})
      where regexp_matches(text, ${literal(ADDRESS_PATTERN)}) group by 1 order by 1`)
    for (const [position, count] of rows) {
      const [, , table, column] = list[Number(position)]!
      found.push({ table: String(table), column: String(column), rows: count as bigint })
    }
  }
  return found
}
