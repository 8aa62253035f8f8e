import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeReports } from '../../../src/cli/report/make-reports.ts'
import { listening } from '../../support/console.ts'
import { scratch, warehouseFile } from '../../support/warehouse.ts'
import { settleCompany } from '../../support/world.ts'

test('`faultline report` prints the errors of report files even if it is stopped', async () => {
  const folder = scratch()
  const own = join(folder, 'own')
  mkdirSync(own)
  writeFileSync(join(own, 'broken.md'), '```sql\n')
  for (const name of ['one', 'two']) writeFileSync(join(own, `${name}.md`), '---\ntitle: T\n---\nText.\n')
  const config = join(folder, 'config.json')
  const warehouse = await warehouseFile(settleCompany)
  writeFileSync(config, JSON.stringify({ warehouse, out: './out', reports: own }))
  const stopping = new AbortController()
  const context = { ...listening({ config }), signal: stopping.signal }
  const made: string[] = []
  const run = makeReports(context, ['broken', 'one', 'two'], { format: 'html' }, ({ result: { name } }) => {
    made.push(name)
    stopping.abort(new Error('stopped'))
  })
  await expect(run).rejects.toThrow('stopped')
  expect(made).toEqual(['one'])
  expect(context.notes.join('\n')).toMatch(/error: .*broken\.md:\d+: /)
})
