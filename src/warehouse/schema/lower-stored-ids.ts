import { type Kysely, sql } from 'kysely'
import { ACCOUNT } from '../../definitions/tables.ts'
import { resources } from '../../resources/index.ts'
import type { Resource } from '../../resources/resource.ts'

type Db = Kysely<unknown>

/** Converts stored hexadecimal ids to lower case. Of two ids that differ only in case, keeps the one read last. */
export async function lowerStoredIds(db: Db): Promise<void> {
  const { rows } = await sql<{ table_name: string }>`
    select table_name from duckdb_tables() where database_name = current_database()`.execute(db)
  const there = new Set(rows.map(({ table_name }) => table_name))
  for (const resource of resources) if (there.has(resource.table)) await lowerIdsOf(db, resource, there)
  for (const [table, column] of LEDGER) await lower(db, table, column)
}

const LEDGER = [
  ['sync_checks', 'id'],
  ['quarantine', 'record_key'],
] as const

async function lowerIdsOf(db: Db, resource: Resource, there: ReadonlySet<string>): Promise<void> {
  const { table, versions, columns } = resource
  const children = resource.children.filter((child) => there.has(child.table))
  const [key] = columns.filter(({ name, isHex }) => isHex && resource.key.includes(name))
  if (key && (await hasUpper(db, table, key.name))) {
    const id = sql.ref(key.name)
    const account = sql.ref(ACCOUNT.name)
    const latest = sql`select ${account}, ${id} from ${sql.table(table)}
      qualify row_number() over (partition by ${account}, ${lowered(key.name)} order by _seen_at desc nulls last, ${id} desc) = 1`
    for (const each of [...children.map((child) => child.table), table])
      await sql`delete from ${sql.table(each)} where (${account}, ${id}) not in (${latest})`.execute(db)
    for (const child of children) await lower(db, child.table, key.name)
  }
  for (const child of children)
    for (const { name, isHex } of child.columns) if (isHex) await lower(db, child.table, name)
  for (const each of [table, ...(versions && there.has(versions) ? [versions] : [])])
    for (const { name, isHex } of columns) if (isHex) await lower(db, each, name)
}

const lowered = (column: string) =>
  sql`if(${isUpperHex(column)}, lower(${sql.ref(column)}), ${sql.ref(column)})`

const isUpperHex = (column: string) =>
  sql`(regexp_full_match(${sql.ref(column)}, '[0-9A-Fa-f]+') and ${sql.ref(column)} <> lower(${sql.ref(column)}))`

async function hasUpper(db: Db, table: string, column: string): Promise<boolean> {
  const found = await sql`select 1 from ${sql.table(table)} where ${isUpperHex(column)} limit 1`.execute(db)
  return found.rows.length > 0
}

async function lower(db: Db, table: string, column: string): Promise<void> {
  const name = sql.ref(column)
  await sql`update ${sql.table(table)} set ${name} = lower(${name}) where ${isUpperHex(column)}`.execute(db)
}
