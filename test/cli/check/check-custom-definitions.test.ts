import { expect, test } from 'vitest'
import { checkOwnWords } from '../../../src/cli/check/check-custom-definitions.ts'
import { readConfig } from '../../../src/config/config-file.ts'
import { settingsOf } from '../../../src/config/reporting.ts'
import { openReader } from '../../support/storage.ts'
import { warehouseFile } from '../../support/warehouse.ts'
import { inhabit } from '../../support/world.ts'

const asOf = Date.UTC(2026, 10, 2) / 1000

/** Returns the findings of `check` for these exclusions and incidents with these titles. */
async function checked(titles: readonly string[], exclude: readonly object[], more = {}) {
  const path = await warehouseFile((connection) =>
    inhabit(connection, {
      incidents: titles.map((title, place) => ({
        incident_id: `i${place}`,
        ...{ title, start_time: asOf - 60, progress: 'Triggered', channel_id: 1 },
      })),
      runs: [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }],
    }),
  )
  const text = JSON.stringify({ reporting: { exclude, ...more } })
  const settings = settingsOf(readConfig(text, 'c.json').data.reporting)
  const reader = await openReader(path, { settings })
  try {
    return await checkOwnWords(reader, settings)
  } finally {
    reader.close()
  }
}

const disk = { name: 'disk', where: "title ~ '^Disk'" }
const tests = { name: 'tests', where: "regexp_matches(title, '^Test')" }

test('`faultline check` warns of an exclusion that matches no incident', async () => {
  const found = await checked(['Disk full', 'Test 1'], [disk, tests])
  expect(found.map(({ level, message }) => [level, message])).toEqual([
    ['warn', expect.stringContaining('reporting.exclude, "disk": excludes no incident')],
  ])
  expect(found[0]!.next).toContain('`~` must match the whole text; `regexp_matches` matches a part')
})

test('`faultline check` accepts an exclusion that matches at least one incident', async () => {
  const whole = { ...disk, where: "title ~ 'Disk.*'" }
  for (const found of [await checked(['Disk full', 'Test 1'], [whole, tests]), await checked([], [disk])])
    expect(found.map(({ level }) => level)).toEqual(['ok'])
})

test.each([
  ['are reported if they differ', {}, 'warn'],
  ['are accepted if one overrides the other', { overrides: true }, 'ok'],
  ['are accepted if they are equal', { ack: '2m' }, 'ok'],
])('two targets for the same incidents %s', async (_, more, level) => {
  const found = await checked(['Disk full'], [], {
    dimensions: { service: 'title' },
    targets: {
      teams: { '(unknown)': { Critical: { ack: '2m' } } },
      dimensions: { service: { 'Disk full': { Critical: { ack: '5m', ...more } } } },
    },
  })
  expect(found.map((one) => one.level)).toEqual([level])
  if (level === 'warn')
    expect(found[0]!.message).toBe(
      'Critical incidents of team (unknown) and service Disk full have two targets to acknowledge. The stricter one applies (incidents in both: 1)',
    )
})
