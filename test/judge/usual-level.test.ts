import { expect, test } from 'vitest'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { reportOn } from '../page/company-report.ts'
import { company, oddWorlds } from '../page/odd-worlds.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

const reports = {
  'reliability-review': '13 weeks',
  'executive-summary': 'last month',
  'on-call-handover': '4 weeks',
}

test.each([
  ['a storm', 'burst'],
  ['silence for 50 days', 'data'],
  ['one severity silent', 'gap'],
])('in the scenario "%s", the usual level is the same in every report', async (world, kind) => {
  const file = await warehouseFile((connection) => inhabit(connection, oddWorlds[world]!))
  const usual: unknown[] = []
  for (const [name, period] of Object.entries(reports)) {
    const { findings } = await reportOn(file, `reports/${name}.md`, { timezone: 'UTC', period })
    usual.push(objectsOf(findings!).find((one) => one.kind === kind)?.before)
  }
  expect(usual[0]).toBeGreaterThan(1)
  expect(usual).toEqual(usual.map(() => usual[0]))
})

test('the usual level of a spike needs three weeks of data before it', async () => {
  const usual = Array.from({ length: 60 }, (_, place) => ({ ago: 0.5 + place / 2 }))
  const spike = Array.from({ length: 300 }, (_, place) => ({ ago: 20.2 + place / 1_000 }))
  const file = await warehouseFile((connection) =>
    inhabit(connection, company([...usual, ...spike], { days: 31 })),
  )
  const result = await reportOn(file, 'reports/reliability-review.md', { timezone: 'UTC', period: '4 weeks' })
  const found = objectsOf(result.findings!).find(({ kind }) => kind === 'burst')
  expect(found?.before).toBeNull()
  expect(found?.sentence).toMatch(/^Spike on 13\sOct: 30\d incidents(, nearly all from|\.)/)
  expect(result.subject.phrases[0]).toMatch(/^30\d incidents on 13\sOct$/)
})
