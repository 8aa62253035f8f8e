import { spawnSync } from 'node:child_process'
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { WarehouseError } from '../../src/errors.ts'
import { machineError } from '../../src/external-errors.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { start } from '../support/cli.ts'
import { data, scriptedServer } from '../support/server.ts'
import { openReader } from '../support/storage.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'

const MAIN = fileURLToPath(new URL('../../dist/bin/faultline.js', import.meta.url))
const environment = { PATH: process.env.PATH ?? '' }
/** Words in the message of an internal error. */
const OURS = /Please report it/

let warehouse: string
beforeAll(async () => {
  warehouse = await warehouseFile(async (connection) => {
    await connection.run(
      'create table blocks as select range as id, md5(range::varchar) as text from range(60000)',
    )
  })
})

/** Returns the error of opening and reading a warehouse, or undefined. */
async function readAll(path: string): Promise<Error | undefined> {
  try {
    const reader = await openReader(path, { settings: defaultSettings })
    try {
      for (const query of ['select max(text) from blocks', 'from runs', 'from incident_times'])
        await reader.query(query)
    } finally {
      reader.close()
    }
    return undefined
  } catch (error) {
    return error as Error
  }
}

const system = (code: string, text: string, syscall: string) =>
  Object.assign(new Error(`${code}: ${text}, ${syscall}`), { code, syscall })

describe('a failure outside the program', () => {
  test.each([
    [system('ENOSPC', 'no space left on device', 'write'), /disk space/],
    [system('EMFILE', 'too many open files', 'open'), /ulimit -n/],
    [system('EXDEV', 'cross-device link not permitted', 'rename'), /the same file system/],
    [system('EPERM', 'operation not permitted', 'rename'), /may write/],
    [system('EIO', 'i/o error', 'fsync'), /disk/],
    [new Error('Out of Memory Error: could not allocate block of size 256.0 KiB'), /memory/],
    [new RangeError('Array buffer allocation failed'), /memory/],
    [new Error('Cannot create a string longer than 0x1fffffe8 characters'), /memory/],
    [new Error('IO Error: Corrupt database file: computed checksum 1 does not match stored'), /damaged/],
  ])('is reported with advice, not as an internal error: %s', (cause, next) => {
    const error = machineError(cause)!
    expect(error.message).toBe(cause.message)
    expect(error.next).toMatch(next)
  })

  test('is distinguished from an error in the program itself', () => {
    expect(machineError(new TypeError("Cannot read properties of undefined (reading 'x')"))).toBeUndefined()
    expect(machineError('thrown')).toBeUndefined()
  })

  test.skipIf(!existsSync('/dev/full'))('is reported as ENOSPC if standard output is a full device', () => {
    const full = openSync('/dev/full', 'w')
    for (const args of [['schema'], ['sql', '--warehouse', warehouse, '--format', 'csv', 'from blocks']]) {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
        stdio: ['ignore', full, 'pipe'],
        env: environment,
        encoding: 'utf8',
      })
      expect(stderr).toMatch(/^error: .*ENOSPC/)
      expect(stderr).not.toMatch(OURS)
      expect(status).toBe(1)
    }
  })

  test.skipIf(process.platform === 'win32')(
    'is not reported as an internal error if file handles run out',
    () => {
      for (const few of [24, 30, 34]) {
        const { status, stderr } = spawnSync(
          'bash',
          [
            '-c',
            `ulimit -n ${few}; exec "$0" "$@"`,
            process.execPath,
            MAIN,
            'sql',
            '--warehouse',
            warehouse,
            'select 1',
          ],
          { env: environment, encoding: 'utf8' },
        )
        if (status === 0) continue
        expect(stderr).not.toMatch(OURS)
      }
    },
  )

  test('is reported as damage if a block of the warehouse is corrupt', async () => {
    const bytes = readFileSync(warehouse)
    const folder = scratch()
    // DuckDB's blocks of 256 KB follow three headers of 4 KB. The loop flips one byte in each.
    let found = false
    for (let block = 0; 3 * 4_096 + block * 262_144 < bytes.length; block++) {
      const damaged = Buffer.from(bytes)
      const at = 3 * 4_096 + block * 262_144 + 1_000
      if (at >= damaged.length) break
      damaged[at]! ^= 0xff
      const path = join(folder, `${block}.duckdb`)
      writeFileSync(path, damaged)
      const failure = await readAll(path)
      expect(failure ?? new WarehouseError('damaged'), `block ${block}`).toBeInstanceOf(WarehouseError)
      if (failure) expect(`${failure.message} ${(failure as WarehouseError).next}`).toMatch(/damaged/)
      found ||= failure !== undefined
    }
    expect(found).toBe(true)
  })

  test('is reported with advice about memory if a query runs out of memory', async () => {
    const reader = await openReader(warehouse, { memoryLimit: '20MB' })
    const query = 'select list(a.text || b.id) from blocks a, range(200) b(id)'
    await expect(reader.query(query)).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/memory/i),
        next: expect.stringMatching(/memory/),
      }),
    )
    reader.close()
  })
})

describe('a `pivot` statement in a warehouse query', () => {
  test('is rejected with advice unless it lists the values to pivot on', async () => {
    const reader = await openReader(warehouse)
    await expect(reader.query('pivot (from range(4) t(a)) on a using count(*)')).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringContaining('`pivot`'),
        next: expect.stringContaining(' in ('),
      }),
    )
    expect((await reader.query('pivot (from range(4) t(a)) on a in (1, 2) using count(*)')).rows).toEqual([
      [1n, 1n],
    ])
    reader.close()
  })
})

describe('a command whose promise never settles', () => {
  test('exits with status 1 and a one-sentence error', async () => {
    await using server = await scriptedServer(data('{"items":[],"total":0,"p":1,"limit":1}'))
    const folder = scratch()
    // Unreferenced timers and sockets let the process exit before the call is done.
    writeFileSync(
      join(folder, 'lost.mjs'),
      `import net from 'node:net'
       const { connect } = net.Socket.prototype
       net.Socket.prototype.connect = function (...given) { return connect.apply(this, given).unref() }
       for (const name of ['setTimeout', 'setInterval']) {
         const real = globalThis[name]
         globalThis[name] = (...given) => real(...given).unref()
       }`,
    )
    const { code, out, err } = await start(['call', 'member/list'], {
      FAULTLINE_APP_KEY: 'k3y-of-the-test',
      FAULTLINE_BASE_URL: server.baseUrl,
      NODE_OPTIONS: `--import=${join(folder, 'lost.mjs')}`,
    }).ended
    expect(err).toMatch(/^error: The command ended before its work was done\.\n/)
    expect(out).toBe('')
    expect(code).toBe(1)
  })
})
