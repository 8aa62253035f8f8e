import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkNames } from '../../../src/cli/check/check-names.ts'
import { readConfig } from '../../../src/config/config-file.ts'
import { settingsOf } from '../../../src/config/reporting.ts'
import { openReader } from '../../support/storage.ts'
import { warehouseFile } from '../../support/warehouse.ts'
import { inhabit } from '../../support/world.ts'

const asOf = Date.UTC(2026, 10, 2) / 1000
let path: string
beforeAll(async () => {
  path = await warehouseFile((connection) =>
    inhabit(connection, {
      incidents: [
        {
          incident_id: 'i1',
          ...{ start_time: asOf - 60, progress: 'Triggered', incident_severity: 'Critical', alert_cnt: 1 },
          ...{
            channel_id: 1,
            integration_id: 40,
            integration_type: 'Healer',
            labels: { service: 'checkout' },
          },
        },
      ],
      channels: [{ channel_id: 1, channel_name: 'A', team_id: 1 }],
      teams: [{ team_id: 1, team_name: 'Payments' }],
      members: [{ member_id: 9, member_name: 'Remediation Bot' }],
      runs: [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }],
    }),
  )
})

const readers: { close(): void }[] = []
afterAll(() => {
  for (const reader of readers) reader.close()
})

/** Returns the findings of `check` for this section of the configuration. */
async function checked(reporting: object) {
  const settings = settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting)
  const reader = await openReader(path, { settings })
  readers.push(reader)
  return (await checkNames(reader, settings)).map(({ level, message, next }) => [level, message, next])
}

const naming = (team: string, service: string, member: string, integration: string) => ({
  dimensions: { service: 'label.service' },
  workingHours: { office: { from: 9, to: 17 } },
  targets: {
    teams: { [team]: { Critical: { ack: '5m' }, Warning: { ack: '9m' } } },
    dimensions: { service: { [service]: { Critical: { ack: '1m' } } } },
  },
  teamZones: { [team]: 'Europe/Berlin' },
  onCall: { [team]: 168 },
  automation: { members: [member, 9], integrations: [integration] },
})

test('`faultline check` suggests the closest name for each unknown name in the configuration', async () => {
  const noTeam = 'no incident belongs to team'
  expect(await checked(naming('Paymnts', 'chekout', 'Remediaton Bot', 'Haeler'))).toEqual([
    ['warn', `reporting.targets.teams: ${noTeam} "Paymnts"`, 'Did you mean "Payments"?'],
    ['warn', `reporting.teamZones: ${noTeam} "Paymnts"`, 'Did you mean "Payments"?'],
    ['warn', `reporting.onCall: ${noTeam} "Paymnts"`, 'Did you mean "Payments"?'],
    [
      'warn',
      'reporting.targets.dimensions.service: no incident has the service "chekout"',
      'Did you mean "checkout"?',
    ],
    [
      'warn',
      'reporting.automation.members: unknown member "Remediaton Bot"',
      'Did you mean "Remediation Bot"?',
    ],
    [
      'warn',
      'reporting.automation.integrations: no incident belongs to integration "Haeler"',
      'Did you mean "Healer"?',
    ],
  ])
})

test('`faultline check` accepts a configuration whose names all exist', async () => {
  expect(await checked(naming('Payments', 'checkout', 'remediation bot', '40'))).toEqual([
    ['ok', 'all configured names exist', undefined],
  ])
  expect(await checked({})).toEqual([])
})
