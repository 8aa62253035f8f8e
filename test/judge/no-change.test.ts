import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { KpiCard } from '../../src/render/result.ts'
import { leadText } from '../../src/render/text.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { fill } from '../support/tables.ts'
import { settleUci498, uci498, warehouseFile } from '../support/warehouse.ts'

const REPORTS = ['executive-summary', 'mtta-mttr', 'severity-trend', 'reliability-review']

const toned = ({ change }: KpiCard) => change?.tone === 'better' || change?.tone === 'worse'

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

describe.skipIf(uci498 === null)('real weeks that are all within the expected range', () => {
  let reader: Reader
  beforeAll(async () => {
    reader = await openReader(await warehouseFile(settleUci498), { settings: defaultSettings })
  }, 300_000)
  afterAll(() => reader.close())

  test.each(inject('isLarge') ? [12, 13, 14, 15, 16, 17, 18, 19, 20] : [12, 14])(
    'show no better or worse card in week %d compared with the previous week',
    async (week) => {
      const coloured = await colouredIn(reader, `2016-W${week}`)
      expect(coloured).toEqual([])
    },
  )
})

/** `perDay` incidents a day of a severity. A person closes each after one to two hours, so no timer is found. */
const daily = (severity: string, perDay: number, from: string, to: string) => `(
  select json_object(
    'incident_id', md5(format('{} {} {}', '${severity}', day, k))[:24], 'account_id', 1, 'incident_severity', '${severity}', 'progress', 'Closed',
    'start_time', day + k * 600, 'ack_time', day + k * 600 + 60, 'close_time', day + k * 600 + 3600 + hash(day + k) % 3600, 'closer_id', 7, 'updated_at', day + k * 600 + 7200
  ) as json
  from unnest(range(epoch(timestamptz '${from}')::bigint, epoch(timestamptz '${to}')::bigint, 86400)) as d (day), range(${perDay}) as i (k))`

describe('a scenario with constant daily numbers', () => {
  let reader: Reader
  beforeAll(async () => {
    const file = await warehouseFile(async (connection) => {
      await fill(connection, 'incidents', daily('Info', 96, '2026-01-01', '2026-03-01'))
      await fill(connection, 'incidents', daily('Critical', 2, '2026-01-01', '2026-03-01'))
      await fill(connection, 'incidents', daily('Warning', 1, '2026-02-01', '2026-03-01'))
      // Extends the data past the end of February.
      await fill(connection, 'incidents', daily('Ok', 1, '2026-03-02', '2026-03-03'))
    })
    reader = await openReader(file, { settings: defaultSettings })
  }, 300_000)
  afterAll(() => reader.close())

  test('has a lead that reports no change', async () => {
    const { blocks } = await runReport('reports/mtta-mttr.md', reader, { period: '2026-02', timezone: 'UTC' })
    const lead = blocks.find(({ kind }) => kind === 'findings')!
    expect(lead.kind === 'findings' && leadText(lead)).toMatch(/^No significant change: /)
  })

  test('shows a shorter month as unchanged, but a rise from 0 as worse', async () => {
    const { kpis } = await runReport('reports/severity-trend.md', reader, {
      period: '2026-02',
      timezone: 'UTC',
    })
    expect(Object.fromEntries(kpis.map(({ label, change }) => [label, change]))).toMatchObject({
      Info: { tone: 'same', direction: 'none' },
      Critical: { tone: 'same', direction: 'none' },
      Warning: { tone: 'worse', words: '28 more', note: '' },
    })
  })
})

describe.skipIf(uci498 === null)('a report on real incidents as of 9 May', () => {
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
  }, 300_000)
  afterAll(() => reader.close())

  test('marks no figure for the last four weeks as better or worse than in the previous four weeks', async () => {
    const coloured = await colouredIn(reader, '2016-04-11..2016-05-09')
    expect(coloured).toEqual([])
  })
})
