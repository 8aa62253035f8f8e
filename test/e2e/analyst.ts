import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { withConnection } from '../support/truth.ts'

const PROGRAM = fileURLToPath(new URL('../../test/e2e/analyst.mjs', import.meta.url))

/**
 * The row that the analyst reads. It has the newest run and its status, the incidents with a fingerprint, their
 * responders, and the open windows. Half of a sync cannot give the same row as a complete one.
 */
const SIGHT = `
with newest as (select * from sync_runs order by run_id desc limit 1)
select
  (select run_id from newest),
  (select as_of_at is not null from newest),
  (select count(*) from incidents),
  (select count(*) from incidents where vanished_at is null),
  (select sum(_hash::hugeint) from incidents),
  (select count(*) from incident_responders),
  (select count(*) from incident_versions),
  (select count(*) from sync_windows where run_id = (select run_id from newest) and state = 'open' and window_start is not null)`

/** Everything that the analyst saw. */
export interface Seen {
  readonly looks: number
  /** Each distinct row once, as JSON, in order. */
  readonly sights: readonly string[]
  readonly errors: readonly string[]
}

/** Starts an analyst on a published warehouse. `stop` ends it and returns what it saw. */
export async function startAnalyst(file: string, pauseMs: number): Promise<{ stop(): Promise<Seen> }> {
  const child = spawn(process.execPath, [PROGRAM, file, SIGHT, String(pauseMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  await lines.next()
  return {
    async stop() {
      child.stdin.end()
      const { value } = await lines.next()
      if (child.exitCode === null) await once(child, 'exit')
      return JSON.parse(value as string) as Seen
    },
  }
}

/** The same row of a file that does not change. */
export function sightOf(file: string): Promise<string> {
  return withConnection(file, async (connection) =>
    JSON.stringify((await connection.runAndReadAll(SIGHT)).getRowsJson()[0]),
  )
}

/** Decodes the checked fields of a row. */
export function readSight(sight: string): { run: number; isWhole: boolean; openWindows: number } {
  const [run, isWhole, , , , , , openWindows] = JSON.parse(sight) as unknown[]
  return { run: Number(run), isWhole: isWhole === true, openWindows: Number(openWindows) }
}
