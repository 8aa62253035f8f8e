import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { otherProgram } from '../support/other-program.ts'
import { openWarehouse, peekWarehouse } from '../support/storage.ts'
import { preparedWarehouse } from '../support/warehouse.ts'
import { failure, insertRun, placeOfTests, runsIn } from './warehouse-place.ts'

const at = placeOfTests()

describe('a second writer of an account', () => {
  beforeEach(() => preparedWarehouse(at.path, 1))

  test('cannot open the warehouse in the same process', async () => {
    await (await at.opened()).publish()
    rmSync(`${at.path}.sync/1.duckdb`)
    const both = await Promise.allSettled([at.opened(), at.opened()])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const [one] = both.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
    await insertRun(one!, 1)
    await one!.publish()
    expect(await at.published()).toEqual([1n])
  })

  test('is rejected while the first writer holds the lock, but can replace an incomplete lock file', async () => {
    const other = await otherProgram(`${at.path}.sync/1.lock`)
    await expect(at.opened()).rejects.toThrow(/Another sync is writing/)
    await other.kill()
    // A process that was killed while it created the file leaves an incomplete file.
    writeFileSync(`${at.path}.sync/1.lock`, 'half'.repeat(1_000))
    await at.opened()
  })

  test('is rejected with a different message if another program has the file open', async () => {
    await (await at.opened()).close()
    const child = await reading('setInterval(() => {}, 1_000)')
    try {
      await expect(at.opened()).rejects.toThrow(/1\.duckdb is open in another program/)
    } finally {
      await killed(child)
    }
    await at.opened()
  })

  test('waits until another program has closed the file after a short read', async () => {
    await (await at.opened()).close()
    await reading('setTimeout(() => { instance.closeSync(); process.exit() }, 300)')
    await at.opened()
  })

  test('gets an error that names the first writer, unless the first writer was killed', async () => {
    const child = await holding()
    try {
      const error = await failure(openWarehouse(at.path, resources, { accountId: 1n }))
      const [before, since] = error.message.split(', since ')
      expect(before).toBe(`Another sync is writing account 1 of ${at.path} (process ${child.pid}`)
      expect(since).toMatch(/^\d{4}-\d\d-\d\dT/)
      expect((await failure(peekWarehouse(at.path, 1n, resources, async () => 0))).message).toContain(
        `process ${child.pid}`,
      )
    } finally {
      await killed(child)
    }
    const look = await peekWarehouse(at.path, 1n, resources, (db) =>
      db.selectFrom('sync_runs').select('run_id').execute(),
    )
    expect(look).toEqual([{ run_id: 7n }])
    expect(await runsIn(await at.opened())).toEqual([7n])
  })

  /** Another process that has the working file open for reading. `then` is what the process does next. */
  const reading = (then: string) =>
    started(`const { DuckDBInstance } = await import('@duckdb/node-api')
      const instance = await DuckDBInstance.create(${JSON.stringify(`${at.path}.sync/1.duckdb`)}, { access_mode: 'READ_ONLY' })
      process.send('held')
      ${then}`)

  /** Another process that has the warehouse open and has stored run 7. */
  async function holding(): Promise<ChildProcess> {
    const built = new URL('../../dist/', import.meta.url)
    if (!existsSync(new URL('warehouse/warehouse.js', built)))
      throw new Error('dist/ is missing: npm run build')
    const program = `
      const { openWarehouse } = await import('${built}warehouse/warehouse.js')
      const { publishedFile } = await import('${built}warehouse/file/published-file.js')
      const { resources } = await import('${built}resources/index.js')
      const warehouse = await openWarehouse(publishedFile(${JSON.stringify(at.path)}), resources, { accountId: 1n })
      await warehouse.db.insertInto('sync_runs').values({ account_id: 1, run_id: 7 }).execute()
      process.send('ready')
      setInterval(() => {}, 1_000)`
    return started(program)
  }

  async function started(program: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)))
    })
    return child
  }

  function killed(child: ChildProcess): Promise<unknown> {
    const exit = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    return exit
  }
})
