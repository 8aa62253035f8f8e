import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { checkProof } from '../../../src/cli/check/check-warehouse.ts'
import { resources } from '../../../src/resources/index.ts'
import { run } from '../../support/cli.ts'
import { ownFolder } from '../../support/folder.ts'
import { openReader, openWarehouse } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

describe('records that the key may not read', () => {
  const folder = ownFolder()
  const path = join(folder, 'faultline.duckdb')
  beforeAll(async () => {
    preparedWarehouse(path, 1)
    const warehouse = await openWarehouse(path, resources, { accountId: 1n })
    const checked = { account_id: 1n, resource: 'channels', checked_at: new Date(0) }
    await warehouse.db
      .insertInto('sync_checks')
      .values([
        { ...checked, id: '7', is_private: true },
        { ...checked, id: '8', is_private: true },
        { ...checked, id: '9', is_private: false },
      ])
      .execute()
    await warehouse.publish()
  })

  test('are counted by `faultline status`', async () => {
    const { out } = await run(['status'], { FAULTLINE_WAREHOUSE: path }, folder)
    expect(out).toContain('Private, not readable with this key: 2 of channels. They are retried each week.')
  })

  test('are counted by `faultline check` without a warning', async () => {
    const reader = await openReader(path)
    const finding = await checkProof(reader)
    reader.close()
    expect(finding).toMatchObject({
      level: 'ok',
      message: expect.stringContaining('private, not readable with this key: 2 of channels'),
    })
  })
})
