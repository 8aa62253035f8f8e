import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { columnsRead } from '../../src/report/columns-read.ts'
import { defaultSettings } from '../../src/settings.ts'
import { openReader, type Reader } from '../../src/warehouse/reader.ts'
import { warehouseFile } from './fixture.ts'

let reader: Reader
beforeAll(async () => {
  reader = await openReader(await warehouseFile(async () => {}), { settings: defaultSettings })
})
afterAll(() => reader.close())

const all = ['tta', 'ttr', 'week', 'period', 'title', 'team_name', 'start_time', 'incident_severity']
const read = async (sql: string) => {
  const found = await columnsRead(reader, 'scoped_incidents', [sql])
  return found && all.filter((column) => found.has(column))
}

describe('only what is named is read by', () => {
  test.each<[string, string[]]>([
    ['select count(*), Median(TTR) from scoped_incidents', ['ttr']],
    ['select week from scoped_weeks left join scoped_incidents using (week)', ['week']],
    [
      'with a as (select tta, ttr from scoped_incidents where period = $x) select * from a',
      ['tta', 'ttr', 'period'],
    ],
    ['with a as (select * from scoped_incidents) select tta from a', ['tta']],
    ['with a as (select * from scoped_incidents), b as (from a) select max(ttr) from b', ['ttr']],
    ['with a as (from scoped_incidents union all from scoped_incidents) select tta from a', ['tta']],
    ['select tta from (from scoped_incidents)', ['tta']],
    ['select 1 where exists (select * from scoped_incidents where tta > 1)', ['tta']],
    ['select n.ttr from t left join (select * from scoped_incidents) n using (period)', ['ttr', 'period']],
    ['select s.ttr from scoped_incidents s order by s.week', ['ttr', 'week']],
    ['with scoped_incidents as (select 1 as tta) select * from scoped_incidents', ['tta']],
    [
      'select row_number() over (partition by team_name order by start_time) from scoped_incidents',
      ['team_name', 'start_time'],
    ],
  ])('%s', async (sql, columns) => expect((await read(sql))?.toSorted()).toEqual(columns.toSorted()))
})

describe('everything is read by', () => {
  test.each([
    'from scoped_incidents',
    'select s.* from scoped_incidents s',
    'select * exclude (title) from Scoped_Incidents',
    `select columns('t.*') from scoped_incidents`,
    'with a as (select * from scoped_incidents) select * from a',
    'with a as (select * from scoped_incidents), b as (from a) select * from b',
    'with a as (select distinct * from scoped_incidents) select tta from a',
    'with a as (from scoped_incidents union from scoped_incidents) select tta from a',
    'with a as (select * from scoped_incidents) select count(distinct a) from a',
    'select * from t left join (select * from scoped_incidents) n using (period)',
    'select 1 where 1 in (select * from scoped_incidents)',
    'select max(s) from scoped_incidents s',
    'select list(scoped_incidents) from scoped_incidents',
    'pivot scoped_incidents on incident_severity using count(*)',
    'select week from scoped_weeks natural join scoped_incidents',
    'from (describe scoped_incidents)',
    `from query('select ttr from scoped_incidents')`,
    'select not valid from',
  ])('%s', async (sql) => expect(await read(sql)).toBeNull())
})
