import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { refuseToOverwriteInputs } from '../../src/cli/check-output-path.ts'
import { run } from '../support/cli.ts'
import { ownFolder } from '../support/folder.ts'
import { warehouseFile } from '../support/warehouse.ts'

const folder = realpathSync(ownFolder())

let warehouse: string
const configured = (more: object = {}) => {
  const given = { warehouse, appKeyFile: './key', privacy: { saltFile: './salt' }, ...more }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ baseUrl: 'https://a.example', ...given }))
}
beforeAll(async () => {
  warehouse = await warehouseFile(async () => {})
  for (const name of ['key', 'salt']) writeFileSync(join(folder, name), 'kept')
  symlinkSync(folder, join(folder, 'here'))
  mkdirSync(`${warehouse}.sync`, { recursive: true })
})

const query = (output: string) =>
  run(['sql', 'select 1 as a', '--to', output, '--format', 'json'], {}, folder)

test.each([
  ['the warehouse', () => warehouse, /the warehouse/],
  ['the folder of the warehouse', () => `${warehouse}.sync/former.duckdb`, /part of the warehouse/],
  [
    'the delivery record beside the warehouse',
    () => `${warehouse}.deliveries.ndjson`,
    /part of the warehouse/,
  ],
  ['the health file', () => `${warehouse}.health.json`, /the health file/],
  ['the configuration', () => 'config.json', /the configuration/],
  ['the configuration, through a link', () => 'here/config.json', /the configuration/],
  ['a secret file', () => 'salt', /a secret file/],
])('`faultline sql --to` does not replace %s', async (_, path, words) => {
  configured()
  const { code, err } = await query(path())
  expect([code, err]).toEqual([2, expect.stringMatching(words)])
  expect(err).toMatch(/^error: --to would replace .*\n {2}Specify another file/)
  expect(readFileSync(join(folder, 'salt'), 'utf8')).toBe('kept')
})

test('`faultline sql --to` can write a new file beside the warehouse', async () => {
  configured()
  expect((await query(`${warehouse}.csv`)).code).toBe(0)
  expect((await query('here/rows.json')).code).toBe(0)
  expect(JSON.parse(readFileSync(join(folder, 'rows.json'), 'utf8'))).toEqual([{ a: 1 }])
})

test('only the health file may be written to the sync folder of the warehouse', async () => {
  configured({ schedule: { healthFile: `${warehouse}.sync/health.json` } })
  const overrides = { config: join(folder, 'config.json') }
  const refuse = async (name: string) =>
    refuseToOverwriteInputs(`${warehouse}.sync/${name}`, 'schedule.healthFile', overrides)
  await refuse('health.json')
  for (const name of ['1.duckdb', 'generation.json'])
    await expect(refuse(name)).rejects.toThrow(/part of the warehouse/)
})

test('`faultline start` does not overwrite other files with its health or metrics file', async () => {
  configured({ schedule: { healthFile: 'config.json' } })
  expect(await run(['start'], {}, folder)).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /^error: schedule\.healthFile would replace .*config\.json, which is the configuration/,
    ),
  })
  configured()
  for (const path of [warehouse, 'key', `${warehouse}.health.json`])
    expect(await run(['start', '--metrics-file', path], {}, folder)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^error: --metrics-file would replace /),
    })
})
