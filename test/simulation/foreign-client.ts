import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Statements that another client runs on the published file. Their changes never happened at the service. */
const WRITES = [
  "update incidents set incident_severity = 'Critical', title = 'changed by another client' where hash(incident_id) % 9 = 0",
  'delete from incidents where hash(incident_id) % 11 = 0',
  "update members set member_name = 'changed by another client' where member_id % 5 = 0",
]

/** DuckDB clients, such as BI tools, open a file for writing by default. */
const script = (path: string, statements: readonly string[]) => `
  import { DuckDBInstance } from '@duckdb/node-api'
  const connection = await (await DuckDBInstance.create(${JSON.stringify(path)})).connect()
  for (const statement of ${JSON.stringify(statements)}) await connection.run(statement)
  console.log('open')
  setInterval(() => {}, 1_000)`

/**
 * Opens a file for writing in another process. The returned function kills the process, so that DuckDB's write-ahead
 * log remains.
 */
async function openForWriting(path: string, statements: readonly string[]): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script(path, statements)], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const opened = once(child.stdout, 'data').then(() => true)
  if (!(await Promise.race([opened, ended.then(() => false)])))
    throw new Error(`${path} could not be opened for writing`)
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}

export async function writeAndDie(path: string): Promise<void> {
  const kill = await openForWriting(path, WRITES)
  await kill()
}

/** Simulates another client that has a file open for writing until the returned function is called. */
export const holdOpen = (path: string) => openForWriting(path, [])
