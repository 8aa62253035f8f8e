import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { run } from '../../support/cli.ts'
import { openReader } from '../../support/storage.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'

let warehouse: string
let folder: string
beforeAll(async () => {
  folder = scratch()
  warehouse = await warehouseFile(async () => {})
})

const sql = (...args: string[]) => run(['sql', '--warehouse', warehouse, ...args], { TMPDIR: folder })

describe('faultline sql', () => {
  test('rejects a row that is too large to write and names its large column', async () => {
    const rows = [
      ["select repeat('x', 220000000) as long", 'long'],
      ['select 1 as a, range(700000) as many', 'many'],
      ["select {'in': [{'r': r} for r in range(400000)]} as pairs", 'pairs'],
    ] as const
    for (const [query, column] of inject('isLarge') ? rows : rows.slice(0, 1)) {
      const { code, out, err } = await sql('--format', 'csv', query)
      expect([code, out.length]).toEqual([1, 0])
      expect(err).toMatch(/One row is too large to write: about \d+ MB/)
      expect(err).toContain(`\`${column}\``)
      expect(err).toContain('unnest')
      const reader = await openReader(warehouse)
      await reader.keep('kept', query)
      await expect(reader.read('kept')).rejects.toThrow(/One row is too large/)
      reader.close()
    }
  })

  test('exits with status 1 if a row near the end of the result cannot be computed', async () => {
    for (const format of ['csv', 'json', 'markdown', 'table']) {
      const late =
        "select cast(case when range = 150000 then 'x' else '1' end as int) as a from range(200000)"
      const { err, code } = await sql(late, '--format', format)
      expect(err, format).toMatch(/Could not convert string 'x'/)
      expect(code, format).toBe(1)
    }
  })

  test('prints only the first 1,000 rows of a table, with a notice', async () => {
    const { out, err, code } = await sql('from range(30000000)')
    expect(code).toBe(0)
    expect(out.split('\n').length).toBeLessThan(1_010)
    expect(out).toContain('the first 1,000 rows')
    expect(err).toContain('--format csv')
  })

  test('rejects a query that needs more than 1,000,000 rows in memory', async () => {
    const reader = await openReader(warehouse)
    await reader.keep('many', 'from range(3000000)')
    for (const act of [() => reader.query('from range(3000000)'), () => reader.read('many')])
      await expect(act()).rejects.toThrow(/more than 1,000,000 rows/)
    // The limit changes neither the names nor the order of a statement.
    expect((await reader.query('select 1 as a, 2 as a')).columns.map(({ name }) => name)).toEqual(['a', 'a'])
    const { rows } = await reader.query('select i, $b from range(9) t(i) order by -i -- last', { b: 'x' })
    expect(rows.map(([i]) => Number(i))).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0])
    for (const wrong of [
      'select nothing from incidents',
      'selec 1',
      "select cast(n as int) from (values ('x')) t(n)",
    ])
      await expect(reader.query(wrong)).rejects.not.toThrow(/limit/)
    reader.close()
  })

  test('stops a query after the time limit of `--timeout`', async () => {
    const { out, err, code } = await sql(
      '--timeout',
      '1s',
      'select sum(hash(range)) from range(1000000000000)',
    )
    expect([out, code]).toEqual(['', 1])
    expect(err).toMatch(/did not end within 1 s/)
    expect(err).toContain('--timeout')
    expect((await sql('--timeout', 'soon', 'select 1')).code).toBe(2)
    // A query that fails before it runs does not wait for the time limit.
    expect((await run(['sql', '--warehouse', join(folder, 'none.duckdb'), 'select 1'])).code).toBe(1)
  })
})
