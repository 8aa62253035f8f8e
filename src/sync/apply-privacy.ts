import { type Kysely, sql } from 'kysely'
import { parseJson, stringifyJson } from '../contract/json.ts'
import type { Resource } from '../resources/resource.ts'
import { rewriteFile } from '../warehouse/file/rewrite.ts'
import type { Published } from '../warehouse/published.ts'
import type { Database } from '../warehouse/schema/database.ts'
import { openWarehouse, type Warehouse, type WarehouseOptions } from '../warehouse/warehouse.ts'

/** Rows taken out of the database at a time. */
const ROWS = 5_000

/** Under this key `faultline_meta` says which rules the stored rows follow. */
const KEY = 'privacy'
/** Under this key since when: what left the warehouse before may hold what the rules removed. */
const SINCE = 'privacy_since'

/**
 * Brings everything stored in a warehouse under these rules, if it is not yet: every account's working file and what
 * readers see are written anew, so that no trace of a plain value stays in any. Call it before an account is opened.
 * What was dropped or hashed under former rules stays so; only reading it again brings it back.
 * @param known every resource there is, with the rules built in
 * @returns which former rules are no more, in a sentence
 * @throws WarehouseError when a file is being written, or cannot be written anew
 */
export async function rewriteStoredData(
  published: Published,
  known: readonly Resource[],
): Promise<string | undefined> {
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
  return `Privacy has fewer rules than before: no more ${[...gone].sort().join(', ')}. What they kept out is read and stored again; if that was not meant, put them back into the configuration and sync again, which takes it out of everything.`
}

/**
 * Opens an account of a warehouse that was brought under these rules. A file that is new, or was opened meanwhile by a
 * process with former rules, is brought under them here.
 * @throws WarehouseError as `openWarehouse` does, and when the file cannot be written anew
 */
export async function openUnderRules(
  published: Published,
  known: readonly Resource[],
  options: WarehouseOptions,
): Promise<Warehouse> {
  const warehouse = await openWarehouse(published, known, options)
  let follows = false
  try {
    const rules = await rulesOf(warehouse.db)
    follows = rules === undefined || rules === fingerprintOf(known)
    if (follows) return warehouse
  } finally {
    if (!follows) await warehouse.close()
  }
  const change = (db: Kysely<Database>) => applyPrivacy(db, known)
  await rewriteFile(warehouse.files.working, warehouse.files, { change })
  return openWarehouse(published, known, options)
}

/** The rules under which what is stored was written, or rewritten, by their fingerprints; undefined where nothing can be stored. */
async function rulesOf(db: Kysely<Database>): Promise<string | undefined> {
  // A sync that was killed while it made the file left no table to say it.
  if ((await typeOf(db, 'faultline_meta', 'value')) === undefined) return undefined
  const row = await db.selectFrom('faultline_meta').select('value').where('key', '=', KEY).executeTakeFirst()
  return row?.value ?? ''
}

/**
 * Brings tables, versions, children and quarantine of a file under the rules. It is no transaction, which would hold every
 * former value in memory: call it on a private copy.
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

/** The rules of a fingerprint, such as `drop members.email`; what else is in it is the salt's hash. */
const rulesIn = (fingerprints: string) =>
  (JSON.parse(`[${fingerprints}]`) as string[][]).flat().filter((one) => /^(drop|hash) /.test(one))

async function applyTo(db: Kysely<Database>, resource: Resource) {
  const { scrub } = resource
  if (scrub === undefined) return
  let changed = 0
  for (const { child, name } of scrub.columns) {
    const tables =
      child === null ? [resource.table, ...(resource.versions ? [resource.versions] : [])] : [child]
    for (const table of tables) {
      const change = (value: unknown) => scrub.column(name, child, value)
      changed += await rewrite(db, { table, column: name, where: sql`true`, change })
    }
  }
  // Rows whose content changed here are not as the service's: without a hash the next copy is compared by its columns.
  if (changed > 0) await sql`update ${sql.table(resource.table)} set _hash = null`.execute(db)
  const where = sql`resource = ${resource.table}`
  await rewrite(db, { table: 'quarantine', column: 'payload', where, change: parsed(scrub.rejected) })
}

/** A payload is JSON in a column of text. */
function parsed(change: (value: unknown) => unknown) {
  return (text: unknown) => stringifyJson(change(parseJson(text as string)))
}

/** The type of a stored column; undefined where an older file does not have it. */
async function typeOf(db: Kysely<Database>, table: string, column: string): Promise<string | undefined> {
  const { rows } = await sql<{ type: string }>`
    select data_type as type from duckdb_columns()
    where schema_name = 'main' and table_name = ${table} and column_name = ${column}
      and database_name = current_database()`.execute(db)
  return rows[0]?.type
}

interface Rewriting {
  readonly table: string
  readonly column: string
  readonly where: ReturnType<typeof sql>
  readonly change: (value: unknown) => unknown
}

/** Changes every value of a column, some thousand rows at a time. Returns how many changed. */
async function rewrite(db: Kysely<Database>, { table, column, where, change }: Rewriting): Promise<number> {
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

/** How values of a type leave the database as text, and come back. */
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
