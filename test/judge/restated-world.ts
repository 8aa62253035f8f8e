import { DuckDBInstance } from '@duckdb/node-api'

/** Applies the changes of a sync to the warehouse as SQL. */
export async function sync(path: string, runId: number, asOf: string, ...statements: string[]) {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run(`set TimeZone = 'UTC'`)
  for (const statement of statements) await connection.run(statement)
  await connection.run(`
    insert into sync_runs by name select ${runId} as run_id, 1 as account_id, 'ok' as status, timestamptz '${asOf}' as as_of_at,
      timestamptz '${asOf}' as service_time_at, timestamptz '${asOf}' as finished_at;
    insert into sync_windows by name select 1 as account_id, ${runId} as run_id, 'incidents' as resource, 'done' as state,
      timestamptz '2026-01-01 00:00:00+00' as window_start, timestamptz '${asOf}' as window_end`)
  connection.closeSync()
  instance.closeSync()
}

/** A new incident of the period, closed unless `values` leave it open. */
export const incident = (id: string, runId: number, values: Record<string, string> = {}) => {
  const all: Record<string, string> = {
    account_id: '1',
    incident_id: `'${id}'`,
    num: `'INC-${id}'`,
    progress: `'Closed'`,
    incident_severity: `'Warning'`,
    start_time: `timestamptz '2026-10-06 10:00:00+00'`,
    ack_time: `timestamptz '2026-10-06 10:05:00+00'`,
    close_time: `timestamptz '2026-10-06 11:00:00+00'`,
    closer_id: '7',
    _run_id: String(runId),
    ...values,
  }
  return `insert into incidents by name select ${Object.entries(all)
    .map(([name, value]) => `${value} as ${name}`)
    .join(', ')}`
}
/** Replaces an incident and stores its former version, as the upsert does. */
export const change = (id: string, runId: number, set: string) => [
  `insert into incident_versions by name select *, now() as _replaced_at from incidents where incident_id = '${id}'`,
  `update incidents set ${set}, _run_id = ${runId} where incident_id = '${id}'`,
]
