import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReader, type Reader } from '../../src/warehouse/read/reader.ts'
import { metricsIn } from '../sql/reference-macros.ts'
import { reference } from '../sql/reference-metrics.ts'
import { asConfigured, automation, ownMeasures } from '../sql/reference-own-words.ts'
import { referenceTimes } from '../sql/reference-times.ts'
import { differences } from '../sql/same-rows.ts'
import { withFilled } from '../sql/served-world.ts'
import { AS_OF, allKeysWorld, reporting, TIMEZONE } from '../support/all-keys-world.ts'
import { plainRows } from '../support/plain-rows.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit, type World } from '../support/world.ts'

/** One world with every key of src/config/own-words.md at once, against a second computation without SQL. */
const { raw, filled } = withFilled(allKeysWorld() as unknown as World)
const counted = asConfigured(filled, reporting, TIMEZONE)

let reader: Reader
beforeAll(async () => {
  const path = await warehouseFile((connection) => inhabit(connection, raw))
  reader = await openReader(path, { settings: raw.settings })
})
afterAll(() => reader.close())

const asked = async (sql: string) => plainRows(await reader.query(sql))

const DAY = 86_400
const ids = new Set<unknown>(referenceTimes(counted).map(({ row }) => row.incident_id))
const [from, to] = [AS_OF - 91 * DAY, AS_OF - DAY]
const ofCounted = 'semi join incident_times using (account_id, incident_id)'

describe('with all keys at once', () => {
  test('92 % are left out, and some hundreds are counted', () => {
    const { length } = referenceTimes(counted)
    expect([length > 300, length / raw.incidents.length < 0.08]).toEqual([true, true])
  })

  test.each(['incident_times', 'incident_labels', 'open_incidents'])('%s', async (name) => {
    expect(differences(await asked(`from ${name}`), reference[name]!(counted))).toEqual([])
  })

  test.each(['incident_changes', 'incident_response', 'assignment_outcomes', 'first_answers'])(
    '%s',
    async (name) => {
      const due = reference[name]!(counted).filter(({ incident_id }) => ids.has(incident_id))
      expect(differences(await asked(`from ${name} ${ofCounted}`), due)).toEqual([])
    },
  )

  test.each(Object.entries(metricsIn(from, to, 'America/New_York')))('%s', async (call, compute) => {
    const source = call.replace('{of}', "of_incidents := 'incident_times'")
    expect(differences(await asked(`from ${source}`), compute(counted))).toEqual([])
  })

  test('own measures', async () => {
    const rows = await asked('select * exclude (account_id) from incident_measures')
    expect(differences(rows, ownMeasures(counted, reporting, TIMEZONE))).toEqual([])
  })

  test('automation', async () => {
    const span = `started_from := to_timestamp(${from}), started_to := to_timestamp(${to})`
    const due = automation(filled, counted, { from, to })
    expect(due.some(({ handed, resolved }) => Number(handed) > 5 && Number(resolved) > 5)).toBe(true)
    expect(differences(await asked(`from automation(${span})`), due)).toEqual([])
  })
})
