import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { WarehouseError } from '../../../src/errors.ts'
import { defaultSettings } from '../../../src/settings/settings.ts'
import { type StatementProcess, statementProcess } from '../../../src/warehouse/worker/statement-process.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'

let warehouse: string
let statements: StatementProcess
const folder = scratch()
const former = process.env.TMPDIR

beforeAll(async () => {
  warehouse = await warehouseFile(async () => {})
  process.env.TMPDIR = folder
  statements = statementProcess()
})
afterAll(() => {
  statements.close()
  if (former === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = former
})

async function rowsOf(
  sql: string,
  { timeoutMs = 60_000, signal = new AbortController().signal, rowsMost = Infinity } = {},
) {
  const rows: (readonly unknown[])[] = []
  const statement = { warehouse, settings: defaultSettings, memoryLimit: '256MB', sql }
  for await (const piece of statements.stream(statement, { timeoutMs, signal })) {
    rows.push(...piece.rows)
    if (rows.length >= rowsMost) break
  }
  return rows
}

/** The workers of this process that are alive. */
function workers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
        const isOurs = Number(parent) === process.pid && state !== 'Z'
        return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('statement-worker')
      } catch {
        return false
      }
    })
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return 1_024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
}

/** Statements that DuckDB never ends by itself, or that use too much time or memory. */
const BOMBS = [
  'select len(range(2000000000))',
  'select sum(x) from (select unnest(range(1000000000)) as x)',
  'select list_sort(range(300000000))[1]',
  "select levenshtein(repeat('a', 100000), repeat('b', 100000))",
  "select length(repeat('x', 2000000000))",
  "select regexp_matches(repeat('a', 20000000), '(a*)*b')",
  'select len(list_transform(range(500000000), lambda x: x + 1))',
  "select length(string_agg(x, ',')) from range(2000000000) t(x)",
  'select count(*) from range(1000000000000)',
  'select median(hash(range)) from range(10000000000)',
  'select count(*) from range(1000000) a, range(1000000) b, range(1000000) c where hash(a.range + b.range + c.range) = 1',
  'with recursive r as (select 1 as i union all select i + 1 from r) select count(*) from r',
  "select max(length(x)) from (select repeat('y', 100000000) || range as x from range(1000))",
]

describe('a statement that does not end is stopped by its time limit or memory limit', () => {
  // Each statement runs until its time limit, so a normal run tests only three.
  const bombs = inject('isLarge') ? BOMBS : BOMBS.slice(0, 3)
  test.each(bombs)('%s', { timeout: 120_000 }, async (sql) => {
    let most = 0
    const watch = setInterval(() => {
      for (const pid of workers()) most = Math.max(most, memoryOf(pid))
    }, 20)
    const error = await rowsOf(sql, { timeoutMs: 3_000 }).catch((cause: unknown) => cause)
    clearInterval(watch)
    // On a fast machine, some statements end within the limit.
    if (!Array.isArray(error)) {
      expect(error).toBeInstanceOf(WarehouseError)
      expect((error as Error).message).toMatch(
        /did not end within|memory|Memory|too large|larger than|limit|exceed/i,
      )
    }
    expect(most).toBeLessThan(3e9)
    expect(await rowsOf('select 42')).toEqual([[42]])
    expect(workers().length).toBe(1)
  })
})

describe('the statement process', () => {
  test('is reused for the next statement', async () => {
    await rowsOf('select 1')
    const [pid] = workers()
    await rowsOf('selec').catch(() => undefined)
    await rowsOf('select range from range(1000000)', { rowsMost: 10 })
    expect(await rowsOf('select 2')).toEqual([[2]])
    expect(workers()).toEqual([pid])
  })

  test('runs one statement at a time, even if the previous one was stopped', {
    timeout: 60_000,
  }, async () => {
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, workers().length)
    }, 5)
    const answers = await Promise.allSettled([
      rowsOf('select len(range(2000000000))', { timeoutMs: 1_000 }),
      rowsOf('select 1'),
      rowsOf('select len(range(2000000000))', { timeoutMs: 1_000 }),
      rowsOf('select 2'),
    ])
    clearInterval(watch)
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
    expect(most).toBe(1)
  })

  test('rejects running and waiting statements with the reason of the abort signal', {
    timeout: 60_000,
  }, async () => {
    const stopping = new AbortController()
    const first = rowsOf('select len(range(2000000000))', { signal: stopping.signal })
    const second = rowsOf('select 1', { signal: stopping.signal })
    setTimeout(() => stopping.abort(new Error('enough')), 500)
    await expect(first).rejects.toThrow('enough')
    await expect(second).rejects.toThrow('enough')
  })

  test('is started again after it was killed from outside', async () => {
    await rowsOf('select 1')
    process.kill(workers()[0]!, 'SIGKILL')
    const answer = await rowsOf('select 3').catch((error: unknown) => error)
    if (!Array.isArray(answer))
      expect((answer as Error).message).toMatch(/ended before the statement was finished/)
    expect(await rowsOf('select 4')).toEqual([[4]])
  })

  test('returns every type without loss, and rows in their order', async () => {
    const [row] = await rowsOf(
      "select 9007199254740993, 'text', null, true, 1.5, timestamptz '2026-01-01 00:00:00+00', [1, 2], {'a': 1}, date '2026-01-01', 'a' || chr(0)",
    )
    expect(row).toEqual([
      9007199254740993n,
      ...['text', null, true, 1.5, new Date('2026-01-01T00:00:00Z'), [1, 2], { a: 1 }, '2026-01-01', 'a\0'],
    ])
    const rows = await rowsOf('select range from range(300000)')
    expect(rows.length).toBe(300_000)
    expect(rows.every(([value], index) => value === BigInt(index))).toBe(true)
  }, 60_000)

  test('leaves no rows on disk when it is killed', { timeout: 60_000 }, async () => {
    const spills = () => readdirSync(folder).filter((name) => name.startsWith('faultline-spill-'))
    const spilling = rowsOf('select * from (select hash(range) as h from range(300000000)) order by h', {
      timeoutMs: 4_000,
    })
    await expect(spilling).rejects.toThrow(/did not end within/)
    expect(spills()).toEqual([])
  })

  test('ends even if its parent process is killed', { timeout: 60_000 }, async () => {
    const text = `
      import { statementProcess } from ${JSON.stringify(new URL('../../../dist/warehouse/worker/statement-process.js', import.meta.url).href)}
      const statement = { warehouse: ${JSON.stringify(warehouse)}, settings: undefined, memoryLimit: '256MB', sql: 'select count(*) from range(1000000000000)' }
      for await (const piece of statementProcess().stream(statement, { timeoutMs: 60000, signal: new AbortController().signal })) {}`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: 'ignore' })
    const children = () =>
      readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
    await expect.poll(() => children().length, { timeout: 20_000 }).toBe(1)
    const [child] = children()
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    parent.kill('SIGKILL')
    const isAlive = () => {
      try {
        return !/\) Z/.test(readFileSync(`/proc/${child}/stat`, 'utf8'))
      } catch {
        return false
      }
    }
    await expect.poll(isAlive, { timeout: 20_000 }).toBe(false)
  })
})
