import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { resources } from '../../../src/resources/index.ts'
import { publishAll, type Warehouse } from '../../../src/warehouse/warehouse.ts'
import { folderOfEachTest } from '../../support/folder.ts'
import { openReader, openWarehouse } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

const folder = folderOfEachTest()
let path: string
beforeEach(() => {
  path = join(folder(), 'it’s a "warehouse".duckdb')
  preparedWarehouse(path, 1, 2)
})

/** Replaces the incidents of an account's working file with one whose title is `word`. */
async function written(accountId: bigint, word: string): Promise<Warehouse> {
  const warehouse = await openWarehouse(path, resources, { accountId })
  await warehouse.db.deleteFrom('incidents').execute()
  await warehouse.db
    .insertInto('incidents')
    .values({ account_id: accountId, incident_id: 'i', title: word })
    .execute()
  return warehouse
}

async function published(): Promise<unknown[]> {
  const reader = await openReader(path)
  const { rows } = await reader.query('select title from incidents order by account_id').finally(reader.close)
  return rows.flat()
}
const working = (account: number) => join(`${path}.sync`, `${account}.duckdb`)

describe('publishing an account', () => {
  test('together with another account works despite files that a killed process left', async () => {
    const both = [await written(1n, 'one'), await written(2n, 'two')]
    writeFileSync(`${path}.sync/next.duckdb`, 'half a copy')
    writeFileSync(`${path}.sync/next.duckdb.wal`, 'half a log')
    expect(await publishAll(both, resources)).toEqual([undefined, undefined])
    expect(await published()).toEqual(['one', 'two'])
    // Publishing must have closed and unlocked all files.
    await (await written(1n, 'again')).publish()
    expect(await published()).toEqual(['again', 'two'])
  })

  test('with a damaged working file does not block other accounts', async () => {
    await (await written(3n, 'three')).publish()
    const both = [await written(1n, 'one'), await written(2n, 'two')]
    await both[0]!.finish()
    writeFileSync(working(1), 'no database'.repeat(2_000))
    const [first, second] = await publishAll(both, resources)
    expect(first).toMatchObject({ message: expect.stringContaining('could not be replaced') })
    expect(second).toBeUndefined()
    expect(await published()).toEqual(['two', 'three'])
  })
})
