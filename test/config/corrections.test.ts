import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { readCorrections } from '../../src/config/corrections-file.ts'
import { ownFolder } from '../support/folder.ts'

const folder = ownFolder()
const file = join(folder, 'fixes.csv')
const HEAD = 'incident,field,value,who,why\n'
const read = (text: string) => {
  writeFileSync(file, text)
  return readCorrections(file)
}

describe('a corrections file', () => {
  test('may contain quotes and line breaks, and each row keeps its line number', () => {
    const rows = read(
      `\ufeff${HEAD}a1,ack_time,2026-03-01T08:00:00Z,Ann,"closed by a robot, ""again""\nand again"\r\n\na2,end_time,,Bob,never recovered\n`,
    )
    expect(rows).toEqual([
      {
        ...{ incident_id: 'a1', field: 'ack_time', value: '2026-03-01T08:00:00.000Z', who: 'Ann' },
        ...{ why: 'closed by a robot, "again"\nand again', at: `${file}:2` },
      },
      {
        incident_id: 'a2',
        field: 'end_time',
        value: '',
        who: 'Bob',
        why: 'never recovered',
        at: `${file}:5`,
      },
    ])
  })

  test.each([
    ['2026-03-01T08:00Z', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01 08:00+01:00', '2026-03-01T07:00:00.000Z'],
    ['2024-02-29T23:30:15-0500', '2024-03-01T04:30:15.000Z'],
  ])('may contain the time %s, which is converted to %s', (written, value) => {
    expect(read(`${HEAD}a1,ack_time,${written},Ann,w\n`)).toMatchObject([{ value }])
  })

  test('is found relative to the configuration file', () => {
    read(`${HEAD}a1,incident_severity,Info,Ann,was a test`)
    const config = join(folder, 'config.json')
    writeFileSync(config, JSON.stringify({ reporting: { corrections: './fixes.csv' } }))
    expect(loadConfig({ config }, {}).settings.corrections).toHaveLength(1)
    writeFileSync(config, JSON.stringify({ reporting: { corrections: './none.csv' } }))
    expect(() => loadConfig({ config }, {})).toThrow(/corrections cannot be read from .*none\.csv/)
  })

  test.each([
    ['id,field\n', /fixes\.csv:1: these are not the expected columns/],
    [
      `${HEAD}a1,ack_tme,2026-03-01T08:00Z,A,w\n`,
      /:2: "ack_tme" cannot be corrected\. Did you mean "ack_time"\?/,
    ],
    [`${HEAD}a1,ack_time,yesterday,A,w\n`, /:2: invalid time "yesterday"\. Write it with a zone/],
    [`${HEAD}a1,ack_time,2026-03-01 08:00,A,w\n`, /:2: invalid time "2026-03-01 08:00"/],
    [`${HEAD}a1,ack_time,2026-02-30T15:52:00Z,A,w\n`, /:2: invalid time "2026-02-30T15:52:00Z"/],
    [`${HEAD}a1,ack_time,2026-13-01T15:52:00Z,A,w\n`, /:2: invalid time "2026-13-01T15:52:00Z"/],
    [`${HEAD}a1,start_time,,A,w\n`, /:2: invalid time ""/],
    [
      `${HEAD}a1,incident_severity,critical,A,w\n`,
      /:2: unknown severity "critical"\. Did you mean "Critical"\?/,
    ],
    [`${HEAD}a1,ack_time,,,w\n`, /:2: `who` and `why` are required/],
    [`${HEAD},ack_time,,A,w\n`, /:2: the incident is missing/],
    [`${HEAD}a1,ack_time,,A,one, two\n`, /:2: expected 5 columns, found 6/],
    [`${HEAD}a1,ack_time,,A,w\n\na1,ack_time,,B,w\n`, /:4: duplicate of line 2/],
    [`${HEAD}a1,x,,A,w\na2,y,,B,w\n`, /The corrections have 2 errors\.\n.*:2: .*\n.*:3: /],
  ])('is rejected with the line number of the error: %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})
