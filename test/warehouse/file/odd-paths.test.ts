import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { resources } from '../../../src/resources/index.ts'
import { ownFolder } from '../../support/folder.ts'
import { otherProgram } from '../../support/other-program.ts'
import { openReader, openWarehouse, publishedAt } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

describe('a warehouse in a folder with an odd name', () => {
  const folder = ownFolder()

  test('is rejected if the path or the target of a symbolic link contains a question mark', async () => {
    const odd = join(folder, 'what?')
    mkdirSync(odd)
    const path = join(odd, 'w.duckdb')
    const link = join(folder, 'link.duckdb')
    symlinkSync(path, link)
    for (const one of [path, link, join(folder, 'w?.duckdb')]) {
      const refused = openWarehouse(one, resources, { accountId: 1n })
      await expect(refused).rejects.toThrow(ConfigError)
      await expect(refused).rejects.toThrow(/question mark: .*\?/)
      await expect(openReader(one)).rejects.toThrow(/question mark/)
    }
    expect(readdirSync(odd)).toEqual([])
  })

  test('works if the path contains any other character', async () => {
    const name = `a#b%20*[c]{d,e}&;it's:f`
    mkdirSync(join(folder, name))
    const path = join(folder, name, 'w.duckdb')
    preparedWarehouse(path, 1, 2)
    for (const accountId of [1n, 2n]) await (await openWarehouse(path, resources, { accountId })).publish()
    await (await otherProgram(path, 'delete from accounts')).kill()
    const reader = await openReader(path)
    expect((await reader.query('select account_id from accounts order by 1')).rows).toEqual([[1n], [2n]])
    reader.close()
    rmSync(join(`${path}.sync`, '1.duckdb'))
    await (await openWarehouse(path, resources, { accountId: 1n })).publish()
    expect([...(await publishedAt(path).accounts()).keys()]).toEqual([1n, 2n])
  })
})
