import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Another DuckDB program that has a file open for writing, which is DuckDB's default. */
export interface OtherProgram {
  readonly pid: number
  /** Ends the program after a checkpoint, which moves DuckDB’s log into the file. */
  close(): Promise<void>
  /** Kills the program without a checkpoint, so that DuckDB’s log remains. */
  kill(): Promise<void>
}

/** Starts a process that opens a file for writing. Resolves after the statements have run. */
export async function otherProgram(file: string, ...statements: string[]): Promise<OtherProgram> {
  const program = `const { DuckDBInstance } = await import('@duckdb/node-api')
    const connection = await (await DuckDBInstance.create(${JSON.stringify(file)})).connect()
    for (const statement of ${JSON.stringify(statements)}) await connection.run(statement)
    console.log('done')
    process.stdin.once('data', async () => {
      await connection.run('checkpoint')
      process.exit()
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const opened = once(child.stdout, 'data').then(() => true)
  if (!(await Promise.race([opened, ended.then(() => false)])))
    throw new Error(`${file} could not be opened for writing`)
  return {
    pid: child.pid!,
    async close() {
      child.stdin.write('close')
      await ended
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
