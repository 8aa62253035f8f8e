import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { effectiveSettings } from '../../src/config/effective-config.ts'
import { ownFolder } from '../support/folder.ts'

const folder = ownFolder()

test('the effective configuration lists each target with its value and origin', () => {
  const config = join(folder, 'config.yaml')
  writeFileSync(
    config,
    `reporting:
  dimensions: { service: label.service }
  targets:
    Critical: { resolve: 2h, ack: null }
    teams: { Payments: { Critical: { ack: 2m } } }
    dimensions: { service: { "a.b": { Info: { ackGoal: 1 } } } }
`,
  )
  const told = () =>
    Object.fromEntries(
      effectiveSettings({ config }, {}).flatMap(({ field, value, from }) =>
        field.startsWith('reporting.targets.') ? [[field.slice(18), `${value} ${from}`]] : [],
      ),
    )
  expect(told()).toMatchObject({
    'Critical.ack': 'null config.yaml:4',
    'Warning.ack': '900 default',
    'teams.Payments.Critical.ack': '2m config.yaml:5',
    'teams.Payments.Critical.resolve': '2h reporting.targets.Critical.resolve, config.yaml:4',
    'teams.Payments.Critical.ackGoal': 'null reporting.targets.Critical.ackGoal, default',
    'dimensions.service.a.b.Info.ack': '3600 reporting.targets.Info.ack, default',
  })
  writeFileSync(
    config,
    'reporting: { targets: { defaults: false, teams: { Web: { Info: { ack: 1h } } } } }\n',
  )
  expect(told()).toEqual({
    defaults: 'false config.yaml:1',
    'teams.Web.Info.ack': '1h config.yaml:1',
    dimensions: '[object Object] default',
  })
})
