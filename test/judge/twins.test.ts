import { expect, test } from 'vitest'
import { reportOn } from '../page/company-report.ts'
import { company } from '../page/odd-worlds.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

/** If every incident is Critical, the charts of all incidents and of Critical incidents are equal. */
async function controlled(severities: readonly string[]): Promise<string[]> {
  const made = Array.from({ length: 120 }, (_, k) => ({
    ...{ ago: k + 1, severity: severities[k % severities.length]!, ack: null, close: 86_400 },
  }))
  const file = await warehouseFile((connection) => inhabit(connection, company(made)))
  const { blocks } = await reportOn(file, 'reports/severity-trend.md')
  return blocks.flatMap((block) =>
    block.kind === 'chart' && block.spec.type === 'control' ? [block.spec.y] : [],
  )
}

test('a report draws identical control charts only once', async () => {
  expect(await controlled(['Critical', 'Info'])).toEqual(['incidents', 'critical', 'info'])
  expect(await controlled(['Critical'])).toEqual(['incidents'])
})
