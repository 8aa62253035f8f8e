import { quoteIdentifier, quoteLiteral } from '../../definitions/quote.ts'
import { ADDRESS_PATTERN, isPersonName, PERSON_NAME } from '../../resources/privacy/personal-data-kinds.ts'
import type { Session } from './session.ts'

interface PersonalColumn {
  readonly table: string
  readonly column: string
  readonly rows: bigint
}

/** Finds columns with texts that look like e-mail addresses. */
export function addressColumns(session: Session): Promise<PersonalColumn[]> {
  return columnsThat(session, `regexp_matches(text, ${quoteLiteral(ADDRESS_PATTERN)})`, () => true)
}

/** Finds columns with people's names in plain text, by the names of columns and JSON fields. */
export async function nameColumns(session: Session): Promise<PersonalColumn[]> {
  const plain = `regexp_replace(text, '"hmac:[0-9a-f]{64}"', 'null', 'g')`
  const inside = `(?i)"${PERSON_NAME}"\\s*:\\s*(\\[\\s*)?"[^"]`
  const [own, json] = [
    await columnsThat(session, `text <> '' and text not like 'hmac:%'`, ({ column }) => isPersonName(column)),
    await columnsThat(
      session,
      `regexp_matches(${plain}, ${quoteLiteral(inside)})`,
      ({ column, type }) => type === 'JSON' || column === 'payload',
    ),
  ]
  return [...own, ...json].sort((a, b) => (`${a.table}.${a.column}` < `${b.table}.${b.column}` ? -1 : 1))
}

async function columnsThat(
  session: Session,
  condition: string,
  isWanted: (column: { column: string; type: string }) => boolean,
): Promise<PersonalColumn[]> {
  const { rows: columns } = await session.query(`
    select c.database_name, c.schema_name, c.table_name, c.column_name, c.data_type
    from duckdb_columns() c
    join duckdb_tables() t using (database_name, schema_name, table_name)
    where not t.temporary and not t.internal and c.data_type in ('VARCHAR', 'VARCHAR[]', 'JSON')
    order by c.table_name, c.column_index`)
  const nameOf = (row: readonly unknown[]) => row.slice(0, 3).map((part) => quoteIdentifier(String(part)))
  const wanted = columns.filter(([, , , column, type]) =>
    isWanted({ column: String(column), type: String(type) }),
  )
  const found: PersonalColumn[] = []
  for (const from of new Set(wanted.map((row) => nameOf(row).join('.')))) {
    const list = wanted.filter((row) => nameOf(row).join('.') === from)
    const texts = list.map(([, , , column]) => `${quoteIdentifier(String(column))}::varchar`)
    // One expression for all columns is faster, because DuckDB needs milliseconds to compile the pattern each time.
    await session.define(
      `create or replace temp view stored_texts as
        select unnest([${texts}]) as text, unnest(range(${texts.length})) as position from ${from}`,
    )
    const { rows } = await session.query(
      `select position, count(*) from stored_texts where ${condition} group by 1 order by 1`,
    )
    for (const [position, count] of rows) {
      const [, , table, column] = list[Number(position)]!
      found.push({ table: String(table), column: String(column), rows: count as bigint })
    }
  }
  return found
}

/** Returns when the current privacy rules had been applied to all rows, in Unix milliseconds. Null if unknown. */
export async function ruledSince(session: Session): Promise<number | null> {
  const { rows: tables } = await session.query(
    "select 1 from duckdb_columns() where table_name = 'faultline_meta' and column_name = 'key'",
  )
  if (tables.length === 0) return null
  const { rows } = await session.query("select max(value) from faultline_meta where key = 'privacy_since'")
  const since = Date.parse(String(rows[0]?.[0]))
  return Number.isNaN(since) ? null : since
}
