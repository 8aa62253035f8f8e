import { type Kysely, sql } from 'kysely'
import { parseJson, stringifyJson } from '../contract/json.ts'
import type { Resource } from '../resources/resource.ts'
import { rewriteFile } from '../warehouse/file/rewrite.ts'
import type { Published } from '../warehouse/published.ts'
import type { Database } from '../warehouse/schema/database.ts'
import { openWarehouse, type Warehouse, type WarehouseOptions } from '../warehouse/warehouse.ts'

/** Number of rows per query, which limits memory. */
const ROWS = 5_000

/** Key in `faultline_meta` for the rules that the stored rows follow. */
const KEY = 'privacy'
/** Key in `faultline_meta` for when the rules were applied. Older copies can contain values that were removed. */
const SINCE = 'privacy_since'

/**
 * Key in `faultline_meta` for the time at which the rules were applied. Copies from before that time can contain
 * removed values.
 */
export async function rewriteStoredData(published: Published, known: readonly Resource[]) {
  const rules = fingerprintOf(known)
  const gone = new Set<string>()
  const isNeeded = async (db: Kysely<Database>) => {
    const former = await rulesOf(db)
    for (const rule of rulesIn(former ?? '')) if (!rulesIn(rules).includes(rule)) gone.add(rule)
    return former !== undefined && former !== rules
  }
  const change = (db: Kysely<Database>) => applyPrivacy(db, known)
  await published.rewrite({ rules, isNeeded, change }, known)
  if (gone.size === 0) return undefined
  return `Privacy rules were removed: ${[...gone].sort().join(', ')}. The values that they excluded are read and stored again. If this was not intended, restore the rules and sync again, which removes these values everywhere.`
}

/** Opens an account's warehouse file, after rewriting it if it does not follow the privacy rules. */
export async function openUnderRules(
  published: Published,
  known: readonly Resource[],
  options: WarehouseOptions,
): Promise<Warehouse> {
  const warehouse = await openWarehouse(published, known, options)
  const rules = await rulesOf(warehouse.db).catch(async (error: unknown) => {
    await warehouse.close()
    throw error
  })
  if (rules === undefined || rules === fingerprintOf(known)) return warehouse
  await warehouse.close()
  const change = (db: Kysely<Database>) => applyPrivacy(db, known)
  await rewriteFile(warehouse.files.working, warehouse.files, { change })
  return openWarehouse(published, known, options)
}

async function rulesOf(db: Kysely<Database>): Promise<string | undefined> {
  // A sync that was killed while it created the file leaves no tables.
  if ((await typeOf(db, 'faultline_meta', 'value')) === undefined) return undefined
  const row = await db.selectFrom('faultline_meta').select('value').where('key', '=', KEY).executeTakeFirst()
  return row?.value ?? ''
}

/**
 * Applies the rules to a private copy of the file. Does not use a transaction, which would hold all old values in
 * memory.
 */
async function applyPrivacy(db: Kysely<Database>, resources: readonly Resource[]): Promise<void> {
  for (const resource of resources) await applyTo(db, resource)
  await db.deleteFrom('faultline_meta').where('key', 'in', [KEY, SINCE]).execute()
  await db
    .insertInto('faultline_meta')
    .values([
      { key: KEY, value: fingerprintOf(resources) },
      { key: SINCE, value: new Date().toISOString() },
    ])
    .execute()
}

function fingerprintOf(resources: readonly Resource[]): string {
  return resources.flatMap(({ scrub }) => scrub?.fingerprint ?? []).join()
}

/** Returns rules such as `drop members.email`. Omits the salt's hash, which is also part of a fingerprint. */
const rulesIn = (fingerprints: string) =>
  (JSON.parse(`[${fingerprints}]`) as string[][]).flat().filter((one) => /^(drop|hash) /.test(one))

async function applyTo(db: Kysely<Database>, resource: Resource) {
  const { scrub } = resource
  if (scrub === undefined) return
  let changed = 0
  for (const { child, name } of scrub.columns) {
    const change = (value: unknown) => scrub.column(name, child, value)
    for (const table of child === null ? [resource.table, resource.versions] : [child])
      if (table) changed += await rewrite(db, table, name, change)
  }
  // Removes the hash of changed rows, because it is outdated. Without a hash, the next sync compares all columns.
  if (changed > 0) await sql`update ${sql.table(resource.table)} set _hash = null`.execute(db)
  const change = (text: unknown) => stringifyJson(scrub.rejected(parseJson(text as string)))
  await rewrite(db, 'quarantine', 'payload', change, sql`resource = ${resource.table}`)
}

async function typeOf(db: Kysely<Database>, table: string, column: string): Promise<string | undefined> {
  const { rows } = await sql<{ type: string }>`
    select data_type as type from duckdb_columns()
    where schema_name = 'main' and table_name = ${table} and column_name = ${column}
      and database_name = current_database()`.execute(db)
  return rows[0]?.type
}

async function rewrite(
  db: Kysely<Database>,
  table: string,
  column: string,
  change: (value: unknown) => unknown,
  where = sql`true`,
): Promise<number> {
  const type = await typeOf(db, table, column)
  if (type === undefined) return 0
  const values = valuesOf(type)
  const name = sql.ref(column)
  const { rows: ends } = await sql<{ last: bigint | null }>`
    select max(rowid) as last from ${sql.table(table)}`.execute(db)
  const last = Number(ends[0]?.last ?? -1)
  let changed = 0
  for (let first = 0; first <= last; first += ROWS) {
    const { rows } = await sql<{ id: bigint; text: string }>`
      select rowid as id, ${values.read(name)} as text from ${sql.table(table)}
      where rowid >= ${first} and rowid < ${first + ROWS} and ${name} is not null and ${where}`.execute(db)
    const news = rows
      .map(({ id, text }) => ({ id, text, after: values.write(change(values.parse(text))) }))
      .filter(({ text, after }) => after !== text)
    if (news.length === 0) continue
    await sql`
      update ${sql.table(table)} set ${name} = ${values.cast(sql.ref('news.text'))}
      from (
        select unnest(${news.map(({ id }) => id)}::bigint[]) as id,
               unnest(${news.map(({ after }) => after)}::varchar[]) as text
      ) news
      where ${sql.table(table)}.rowid = news.id`.execute(db)
    changed += news.length
  }
  return changed
}

type Sql = ReturnType<typeof sql.ref>

/** Converts values of a column type to text and back. Lists become JSON. */
function valuesOf(type: string) {
  const isPlain = !(type === 'JSON' || type.endsWith('[]'))
  return {
    read: (name: Sql) => (type.endsWith('[]') ? sql`to_json(${name})::varchar` : sql`${name}::varchar`),
    parse: (text: string): unknown => (isPlain ? text : parseJson(text)),
    write: (value: unknown): string | null =>
      value === null || value === undefined ? null : isPlain ? String(value) : stringifyJson(value),
    cast: (text: Sql) =>
      type.endsWith('[]')
        ? sql`from_json(${text}, ${sql.lit(`["${type.slice(0, -2)}"]`)})`
        : sql`${text}::${sql.raw(type)}`,
  }
}
