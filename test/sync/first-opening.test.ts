import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resources } from '../../src/resources/index.ts'
import { withPrivacy } from '../../src/resources/privacy/with-privacy.ts'
import { rewriteStoredData } from '../../src/sync/apply-privacy.ts'
import { openUnderRules, openWarehouse, publishedAt } from '../support/storage.ts'

/** Possible lengths in bytes of the DuckDB log after a kill during the creation of the file. */
function lengths(log: string): number[] {
  const whole = statSync(log).size
  const all = [0]
  for (let length = 64; length < whole; length = Math.ceil(length * 2.5)) all.push(length)
  return all
}

test('the next sync continues with a working file whose creation was killed at any point', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-first-'))
  try {
    const first = await openWarehouse(join(folder, 'first.duckdb'), resources, { accountId: 1n })
    const { working, log } = first.files
    const rules = withPrivacy(resources, { drop: ['members.phone'], hash: [], salt: '' })
    for (const [index, length] of lengths(log).entries()) {
      const path = join(folder, `${index}.duckdb`)
      mkdirSync(`${path}.sync`)
      const copy = join(`${path}.sync`, '1.duckdb')
      copyFileSync(working, copy)
      copyFileSync(log, `${copy}.wal`)
      truncateSync(`${copy}.wal`, length)
      const known = index % 2 === 0 ? resources : rules
      await rewriteStoredData(publishedAt(path), known)
      const opened = await openUnderRules(path, known, { accountId: 1n })
      const count = opened.db.selectFrom('incidents').select(({ fn }) => fn.countAll().as('n'))
      expect(await count.execute(), `after ${length} bytes`).toEqual([{ n: 0n }])
      await opened.close()
    }
    await first.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 300_000)
