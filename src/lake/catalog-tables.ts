import type { DuckDBInstance } from '../definitions/duckdb.ts'
import { quoteLiteral } from '../definitions/quote.ts'
import { WarehouseError } from '../errors.ts'
import type { Lake } from '../settings/lake.ts'
import { executeOnCatalog, lakeError, leasesOf, queryCatalog } from './catalog.ts'

/** Faultline's own tables in the catalog. If you change these tables, also change deploy/lake-roles.sql. */
const TABLES: Readonly<Record<string, string>> = {
  // This table has one row per operation that only one process can perform at a time.
  faultline_locks: 'name text primary key',
  faultline_leases: 'account_id bigint primary key, epoch bigint not null, holder text, taken_at timestamptz',
  faultline_jobs: `name text primary key, holder text not null, due_at timestamptz not null,
    started_at timestamptz not null, finished_at timestamptz, outcome text, failures int not null, tries int not null default 0`,
  // This table maps each API key to its account.
  faultline_keys: 'digest text primary key, account_id bigint not null',
  faultline_deliveries:
    'key text primary key, report text not null, due text not null, sent_at timestamptz not null',
}
/** DuckLake creates this table together with the lake, during the first publication or maintenance. */
const CATALOGUE = 'ducklake_metadata'

const made = new Map<string, Promise<void>>()

/** Creates missing tables, then runs `act`. Converts errors with `lakeError`. */
export async function inCatalog<Result>(
  lake: Lake,
  act: (postgres: DuckDBInstance) => Promise<Result>,
): Promise<Result> {
  try {
    await makeOwnTables(lake)
    return await act(await leasesOf(lake))
  } catch (cause) {
    throw lakeError(lake, cause)
  }
}

/**
 * Creates missing tables. Checks them only once per process. @throws WarehouseError if this role may not create them
 */
function makeOwnTables(lake: Lake): Promise<void> {
  const making = made.get(String(lake)) ?? make(lake)
  made.set(String(lake), making)
  making.catch(() => made.delete(String(lake)))
  return making
}

async function make(lake: Lake): Promise<void> {
  const { missing, mayMake } = await look(lake)
  if (missing.length > 0 && !mayMake) {
    const next =
      'Run `faultline lake maintain` once, as the role that owns the catalog (faultline_maintenance).'
    const what = missing.includes(CATALOGUE)
      ? `The lake ${lake} was not created yet, and this role may not create it.`
      : `${lake} lacks ${missing.join(', ')}, and this role may not create tables.`
    throw new WarehouseError(what, { next })
  }
  const own = missing.filter((table) => table !== CATALOGUE)
  if (own.length === 0) return
  const statements = own.map((table) => `create table if not exists ${table} (${TABLES[table]})`)
  await executeOnCatalog(await leasesOf(lake), statements.join('; ')).catch(async (cause: unknown) => {
    // Another process may have created the same table at the same time.
    if ((await look(lake)).missing.some((table) => own.includes(table))) throw cause
  })
}

async function look(lake: Lake): Promise<{ missing: string[]; mayMake: boolean }> {
  const names = [CATALOGUE, ...Object.keys(TABLES)]
  const found = await queryCatalog(
    await leasesOf(lake),
    `select name, has_schema_privilege(current_schema(), 'create')
      from unnest(array[${names.map(quoteLiteral).join(', ')}]) as name where to_regclass(name) is null`,
  )
  return { missing: found.map(([name]) => String(name)), mayMake: found.every(([, may]) => may === true) }
}
