import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkDueTimes } from '../../../src/cli/check/check-reports.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { scratch } from '../../support/warehouse.ts'

/** Returns the warnings of `check` about a custom report. */
function warningsOf(front: string, config: object, body = 'Text.') {
  const folder = scratch()
  mkdirSync(join(folder, 'own'))
  writeFileSync(join(folder, 'own', 'mine.md'), `---\ntitle: Mine\n${front}\n---\n${body}\n`)
  const path = join(folder, 'config.json')
  writeFileSync(path, JSON.stringify({ reports: join(folder, 'own'), timezone: 'UTC', ...config }))
  const found = checkDueTimes(loadConfig({ config: path }, {}), Date.UTC(2026, 1, 10))
  return found.filter(({ message }) => message.startsWith('mine '))
}

const monthly = (time: string) => `schedule: "${time}"\nparams: { period: last month }`
const account = (name: string, schedule?: string) => ({ name, schedule, appKeyFile: '/nowhere' })

test.each([
  ['syncs only at 22:00', monthly('0 8 1 * *'), { schedule: { sync: '0 22 * * *' } }],
  ['builds the report before the sync of that day', monthly('0 2 1 * *'), {}],
  [
    'includes an account that syncs before midnight',
    monthly('0 8 1 * *'),
    { accounts: [account('a', '0 22 * * *'), account('b')] },
  ],
])('`faultline check` warns of a schedule that %s', (_, front, config) => {
  expect(warningsOf(front, config)).toMatchObject([
    {
      level: 'warn',
      message: expect.stringContaining('runs before the end of its period'),
      next: expect.stringContaining('schedule.sync'),
    },
  ])
})

test.each([
  ['syncs before it builds the report', monthly('0 8 1 * *'), {}],
  ['builds no report', 'params: { period: last month }', { schedule: { sync: '0 22 * * *' } }],
])('`faultline check` accepts a schedule that %s', (_, front, config) => {
  expect(warningsOf(front, config)).toEqual([])
})

test('`faultline check` never warns of the schedule of a handover report', () => {
  const front = 'schedule: "0 8 * * *"\nparams: { period: yesterday }'
  const config = { schedule: { sync: '0 22 * * *' } }
  expect(warningsOf(front, config)).toHaveLength(1)
  const shift = '```sql q\nselect count(*) as n from shift_incidents\n```\n{{ q.n | number }}'
  expect(warningsOf(front, config, shift)).toEqual([])
})
