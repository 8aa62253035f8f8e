import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkWarehouse } from '../../../src/cli/check/check-warehouse.ts'
import { resources } from '../../../src/resources/index.ts'
import { run } from '../../support/cli.ts'
import { ownFolder } from '../../support/folder.ts'
import { otherProgram } from '../../support/other-program.ts'
import { openReader, openWarehouse, publishedAt } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

describe('a write-ahead log that another program left next to the warehouse', () => {
  const folder = ownFolder()
  const warehouse = join(folder, 'faultline.duckdb')
  const environment = { FAULTLINE_WAREHOUSE: warehouse }
  beforeAll(async () => {
    preparedWarehouse(warehouse, 1)
    await (await openWarehouse(warehouse, resources, { accountId: 1n })).publish()
    await (
      await otherProgram(warehouse, `insert into incidents (account_id, incident_id) values (1, 'a')`)
    ).kill()
  })

  test.each([
    ['sql', 'select count(*) as n from incidents'],
    ['report', 'severity-trend'],
    ['export', 'incidents'],
    ['status'],
  ])('is reported by `faultline %s` with one warning', async (...args) => {
    const { err } = await run(args, environment, folder)
    expect(err.match(/^warning: .*duckdb\.wal\. The log is ignored.*$/gm)).toHaveLength(1)
  })

  test('is reported by `faultline check` but not deleted', async () => {
    const reader = await openReader(warehouse)
    const findings = await checkWarehouse(publishedAt(warehouse), reader)
    reader.close()
    expect(findings).toContainEqual({
      check: 'published copy',
      level: 'warn',
      message: expect.stringContaining('duckdb.wal'),
    })
    expect(existsSync(`${warehouse}.wal`)).toBe(true)
  })
})
