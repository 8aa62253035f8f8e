import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { start } from '../../support/cli.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'

let warehouse: string
let folder: string
beforeAll(async () => {
  folder = scratch()
  warehouse = await warehouseFile(async () => {})
})

describe('a warehouse query', () => {
  test('streams thirty million rows with less than 1 GB of memory', async () => {
    const { process: child, ended } = start(
      [
        'sql',
        '--warehouse',
        warehouse,
        '--format',
        'csv',
        'select range, range * 2 as b from range(30000000)',
      ],
      { TMPDIR: folder },
    )
    child.stdout!.removeAllListeners('data')
    let bytes = 0
    let most = 0
    child.stdout!.on('data', (chunk: string) => {
      bytes += chunk.length
      // A second signal would end the process at once.
      if (bytes > 40_000_000 && !child.killed) child.kill('SIGINT')
    })
    const look = setInterval(() => {
      const status = `/proc/${child.pid}/status`
      if (!existsSync(status)) return
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0))
    }, 50)
    const { err } = await ended
    clearInterval(look)
    expect(bytes).toBeGreaterThan(40_000_000)
    expect(err).toMatch(/^Stopped/)
    expect(most).toBeLessThan(1_000_000)
  })

  test('reads 900 rows of 200 KB each with a heap of 150 MB', async () => {
    const large = (...args: string[]) => {
      const given = ['sql', '--warehouse', warehouse, ...args, "select repeat('x', 200000) from range(900)"]
      return start(given, { TMPDIR: folder, NODE_OPTIONS: '--max-old-space-size=150' })
    }
    const csv = large('--format', 'csv')
    csv.process.stdout!.removeAllListeners('data')
    let bytes = 0
    csv.process.stdout!.on('data', (chunk: string) => {
      bytes += chunk.length
    })
    const { code, err } = await csv.ended
    expect([code, err]).toEqual([0, ''])
    expect(bytes).toBeGreaterThan(180_000_000)
    const table = await large().ended
    expect(table.code).toBe(0)
    expect(table.err).toContain('More rows exist')
  })

  test('is rejected at the row limit before it uses 1 GB of memory', async () => {
    const wide = [1, 2, 3, 4, 5, 6].map((n) => `repeat('abcdef ${n}', 5) || range::varchar as v${n}`)
    const program = `
      import { readFileSync } from 'node:fs'
      import { openWarehouse } from ${JSON.stringify(new URL('../../../dist/sdk/index.js', import.meta.url))}
      const reader = await openWarehouse(${JSON.stringify(warehouse)})
      const failure = await reader.query(${JSON.stringify(`select ${wide.join(', ')} from range(10000000)`)}).catch(String)
      await reader.close()
      const most = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0)
      console.log(JSON.stringify({ failure, most }))`
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    const { failure, most } = JSON.parse(child.stdout)
    expect(failure).toMatch(/more than 1,000,000 rows/)
    expect(most).toBeLessThan(1_000_000)
  })
})
