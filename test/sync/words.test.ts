import { expect, test } from 'vitest'
import { checkWords } from '../../src/cli/check/check-warehouse.ts'
import { folderRuleStatus } from '../../src/resources/folder-rule-status.ts'
import { incidents } from '../../src/resources/incidents.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { DAY, epoch, type FakeService, fakeService, incident } from '../support/service.ts'
import { running } from './running.ts'

const { rows, run } = running()

const sync = (service: FakeService) => run(service, epoch + DAY, { resources: [incidents, folderRuleStatus] })

/** A reader of the working file, with the interface of a reader of the published copy. */
const reader = {
  async query(text: string) {
    const found = await rows(text)
    return { columns: Object.keys(found[0] ?? {}).map((name) => ({ name })), rows: found.map(Object.values) }
  },
} as unknown as Reader

test('undocumented enum values are recorded once, and reported by `faultline check`', async () => {
  const service = fakeService()
  service.incidents = [incident(1), incident(2, { frequency: '', group_method: 'p' })]
  expect((await sync(service)).status).toBe('ok')
  expect(await rows('select * from schema_drift')).toEqual([])
  expect((await checkWords(reader)).level).toBe('ok')

  service.incidents.push(
    incident(3, { incident_severity: 'Fatal' }),
    incident(4, { incident_severity: 'Fatal', incident_status: 'x'.repeat(1_000) }),
    incident(5, { incident_severity: 'Minor' }),
  )
  for (let night = 0; night < 2; night++) expect((await sync(service)).status).toBe('ok')
  const drift = await rows('select resource, field, kind, run_id::int as run from schema_drift order by all')
  expect(drift).toEqual([
    { resource: 'incidents', field: 'incident_severity', kind: 'unknown word: Fatal', run: 2 },
    { resource: 'incidents', field: 'incident_severity', kind: 'unknown word: Minor', run: 2 },
    { resource: 'incidents', field: 'incident_status', kind: `unknown word: ${'x'.repeat(64)}`, run: 2 },
  ])
  expect(await rows(`select count(*)::int as n from incidents where incident_severity = 'Fatal'`)).toEqual([
    { n: 2 },
  ])
  const finding = await checkWords(reader)
  expect(finding.level).toBe('warn')
  expect(finding.message).toContain('incidents.incident_severity: Fatal, Minor')
})

test('an undocumented enum value that ends in a lone surrogate is recorded only once', async () => {
  const service = fakeService()
  service.incidents = [
    incident(1, { incident_severity: `${'x'.repeat(63)}😀` }),
    incident(2, { incident_severity: 'half \ud83d' }),
  ]
  for (let night = 0; night < 2; night++) await sync(service)
  const words = await rows('select kind from schema_drift order by all')
  expect(words.map(({ kind }) => kind)).toEqual([
    'unknown word: half \ufffd',
    `unknown word: ${'x'.repeat(63)}\ufffd`,
  ])
})

test('free text in an enumerated field is recorded at most a hundred times', async () => {
  const service = fakeService()
  service.incidents = Array.from({ length: 300 }, (_, index) =>
    incident(index % 20, { incident_severity: `Fatal ${index}` }),
  )
  service.incidents = service.incidents.map((one, index) => ({
    ...one,
    incident_id: index.toString(16).padStart(24, '0'),
  }))
  await sync(service)
  const [count] = await rows('select count(*)::int as n from schema_drift')
  expect(count!.n).toBe(100)
})
