import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { start } from '../../support/cli.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'

let warehouse: string
let folder: string
beforeAll(async () => {
  folder = scratch()
  warehouse = await warehouseFile(async (connection) => {
    await connection.run("create table secrets as select 'PLAINSECRET' || range as secret from range(400000)")
  })
})

describe('rows that a query spills to disk', () => {
  const SPILLS = `select count(*) from (select a.secret, b.range, row_number() over (order by md5(a.secret || b.range), a.secret) n
    from secrets a, range(30) b) where n % 2 = 0 and secret <> ''`
  const spills = () => readdirSync(folder).filter((name) => name.startsWith('faultline-spill-'))
  const bytesIn = (name: string) => {
    const path = join(folder, name)
    return readdirSync(path).reduce((sum, file) => sum + statSync(join(path, file)).size, 0)
  }
  /** Limits memory to 100 MB, so that the query spills soon. */
  const frugal = () => {
    writeFileSync(join(folder, 'config.json'), '{ "reporting": { "memoryLimit": "100MB" } }')
    return { TMPDIR: folder, FAULTLINE_CONFIG: join(folder, 'config.json') }
  }
  const spilling = async () => {
    const running = start(['sql', '--warehouse', warehouse, SPILLS], frugal())
    await vi.waitFor(() => expect(spills().some((name) => bytesIn(name) > 1_000_000)).toBe(true), {
      timeout: 25_000,
      interval: 50,
    })
    return running
  }

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'are removed when the command receives %s',
    async (signal) => {
      const { process: child, ended } = await spilling()
      const [name] = spills()
      expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o700)
      child.kill(signal)
      expect((await ended).err).toMatch(/^Stopped/)
      expect(spills()).toEqual([])
    },
  )

  test('are removed when the command is killed with SIGKILL', async () => {
    const { process: child, ended } = await spilling()
    child.kill('SIGKILL')
    await ended
    await expect.poll(spills, { timeout: 10_000 }).toEqual([])
  })

  test('are removed by the next command only if the process that wrote them is dead', async () => {
    const { process: child, ended } = await spilling()
    const [name] = spills()
    const worker = Number(/-(\d+)-\w{6}$/.exec(name!)?.[1])
    // Kill both processes at once, so that neither can remove the rows.
    child.kill('SIGSTOP')
    process.kill(worker, 'SIGKILL')
    child.kill('SIGKILL')
    await ended
    expect(spills().length).toBe(1)
    const live = `faultline-spill-${hostname().replace(/[^\w.]/g, '_')}-${process.pid}-abcdef`
    for (const name of [live, 'faultline-spill-elsewhere-1-abcdef', 'faultline-spill-x'])
      mkdirSync(join(folder, name))
    utimesSync(join(folder, live), 0, 0)
    const next = start(['sql', '--warehouse', warehouse, 'select 1'], { TMPDIR: folder })
    expect((await next.ended).code).toBe(0)
    expect(spills().sort()).toEqual([live, 'faultline-spill-elsewhere-1-abcdef', 'faultline-spill-x'].sort())
  })

  test('are removed if the output pipe is closed early', async () => {
    for (const name of spills()) expect(name).toMatch(/elsewhere|-x$|abcdef/)
    const before = spills()
    const { process: child, ended } = start(
      ['sql', '--warehouse', warehouse, '--format', 'csv', 'from secrets, range(15)'],
      frugal(),
    )
    child.stdout!.once('data', () => child.stdout!.destroy())
    expect((await ended).code).toBe(0)
    expect(spills()).toEqual(before)
  })
})
