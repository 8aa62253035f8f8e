import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import type { KpiCard } from '../../src/render/result.ts'
import { runReport } from '../../src/report/run.ts'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { settleUci498, uci498, warehouseFile } from '../support/warehouse.ts'

const REPORTS = ['executive-summary', 'mtta-mttr', 'severity-trend', 'reliability-review']

const toned = ({ change }: KpiCard) => change?.tone === 'better' || change?.tone === 'worse'

/** The cards of all reports about a period of UTC that are coloured. */
async function colouredIn(reader: Reader, period: string) {
  const coloured: string[] = []
  for (const name of REPORTS) {
    const { kpis } = await runReport(`reports/${name}.md`, reader, { period, timezone: 'UTC' })
    for (const card of kpis) {
      if (toned(card)) coloured.push(`${name}: ${card.label}: ${JSON.stringify(card.change)}`)
    }
  }
  return coloured
}

describe.skipIf(uci498 === null)('real weeks that are all within the usual range', () => {
  let reader: Reader
  beforeAll(async () => {
    reader = await openReader(await warehouseFile(settleUci498), { settings: defaultSettings })
  }, 60_000)
  afterAll(() => reader.close())

  test.each(inject('isLarge') ? [12, 13, 14, 15, 16, 17, 18, 19, 20] : [12, 14])(
    'W%d against the one before is nowhere coloured',
    async (week) => {
      const coloured = await colouredIn(reader, `2016-W${week}`)
      expect(coloured).toEqual([])
    },
  )
})

describe.skipIf(uci498 === null)('real incidents as they were known on 9 May', () => {
  let reader: Reader
  beforeAll(async () => {
    const cut = await warehouseFile(async (connection) => {
      await settleUci498(connection)
      await connection.run(`
        delete from incidents where start_time >= timestamptz '2016-05-09';
        update incidents set close_time = null, end_time = null, progress = 'Processing', closer_id = 0 where close_time >= timestamptz '2016-05-09';
        update incidents set ack_time = null where ack_time >= timestamptz '2016-05-09';
        update incidents set updated_at = least(updated_at, timestamptz '2016-05-09')`)
    })
    reader = await openReader(cut, { settings: defaultSettings })
  }, 60_000)
  afterAll(() => reader.close())

  test('four weeks against the four before are neither better nor worse', async () => {
    const coloured = await colouredIn(reader, '2016-04-11..2016-05-09')
    expect(coloured).toEqual([])
  })
})
