import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { DuckDBInstance } from '../../src/definitions/duckdb.ts'
import { limitsIn } from '../../src/definitions/rule-placeholders.ts'
import { rulesOf } from '../../src/definitions/rules.ts'
import { viewFiles } from '../../src/definitions/views.ts'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { createTables } from '../../src/warehouse/schema/create.ts'
import { reportOn } from '../page/company-report.ts'
import { company } from '../page/odd-worlds.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

const made = Array.from({ length: 60 }, (_, place) => ({ ago: place + 0.1, ack: 60, close: 3_600 }))

let path: string
beforeAll(async () => {
  path = await warehouseFile((connection) => inhabit(connection, company(made, { days: 90 })))
})

const folder = scratch()
const withLimits = (p90: number, interval: number): Settings => ({
  ...defaultSettings,
  thresholds: defaultSettings.thresholds.map(({ name, value }) => ({
    name,
    value: name === 'p90_min_n' ? p90 : name === 'interval_min_n' ? interval : value,
  })),
})

/** The rules of a report with one query, by term. */
async function rulesBehind(query: string, settings = defaultSettings): Promise<Map<string, string>> {
  const file = join(folder, 'own.md')
  writeFileSync(file, `---\ntitle: Own\n---\n\n\`\`\`sql own\n${query}\n\`\`\`\n`)
  const { counted } = await reportOn(path, file, { period: '4 weeks', timezone: 'UTC', settings })
  return new Map(counted.rules.map(({ term, text }) => [term, text]))
}

describe('the methodology rules in a report', () => {
  test('state the configured minimum numbers of incidents', async () => {
    const query = `select p90(tta) as p90, median_low(tta) as low from scoped_incidents`
    const usual = await rulesBehind(query)
    expect(usual.get('Median, p90')).toContain('With fewer than 10 incidents, there is no p90')
    expect(usual.get('Interval')).toContain('medians (from 6 incidents) and p90 (from 36)')
    const higher = await rulesBehind(query, withLimits(40, 38))
    expect(higher.get('Median, p90')).toContain('With fewer than 40 incidents, there is no p90')
    expect(higher.get('Interval')).toContain('medians (from 38 incidents) and p90 (from 38)')
  })

  test('omit the rule for a name that the query uses only as an alias or a string', async () => {
    const query = `select incident_severity as band, count(*) as recover, 'time_between' as ttr, max(num) as hour_band
      from scoped_incidents group by 1 order by band`
    const rules = [...(await rulesBehind(query)).keys()]
    expect(rules).toEqual(['Incident', 'Merged', 'Muted', 'Severity', 'As of'])
  })

  test.each([
    [
      `with begun as (select ack_time as first_answer, start_time as begun from incident_times)
       select quantile_cont(epoch(first_answer) - epoch(begun), 0.5) as half from begun`,
      ['0 s', 'Time to acknowledge', 'Median, p90'],
    ],
    [`select avg(i.TTA) as mean from scoped_incidents i`, ['0 s', 'Time to acknowledge']],
    [`select count(*) as n from scoped_incidents where band = 'sleep'`, ['Hours']],
    [`select sleep_pages from person_load()`, ['Pages', 'Hours']],
    [`from time_between() limit 1`, ['Time between']],
    [`select time_to_recover_s from cohort_times`, ['Time to recover']],
    [
      `select headline.ttr as t from (select median(ttr) as ttr from scoped_incidents) headline`,
      ['Time to resolve'],
    ],
    [`select median_s from resolve_time()`, ['Survival', 'Time to resolve', 'Interval']],
  ])('depend on the relations and columns that the query reads: %s', async (query, expected) => {
    expect([...(await rulesBehind(query)).keys()]).toEqual(expect.arrayContaining(expected))
  })
})

describe('the headers of files in `sql/`', () => {
  const files = viewFiles()
  const library = new Map(files.map((file) => [file.name, file]))

  test('mention only existing limits and rules', () => {
    const known = [...defaultSettings.thresholds.map(({ name }) => name), 'hourly_cost']
    const texts = files.flatMap(({ comment, columns, rules }) => [
      comment,
      ...columns.values(),
      ...rules.map(({ text }) => text),
    ])
    expect(texts.flatMap(limitsIn).filter((name) => !known.includes(name))).toEqual([])
    const choices = {
      limits: new Map(),
      policies: new Map([
        ['ack', 'exclude'],
        ['cohort', 'started'],
      ]),
      hours: '',
    }
    for (const { file, rules } of files) {
      for (const { see } of rules.filter(({ see }) => see !== null)) {
        const [name = '', column = null] = see!.split('.')
        expect(rulesOf(library, name, column, choices), `${file}: see ${see}`).not.toEqual([])
      }
    }
  })

  test('become database comments with the configured limits', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const commentOf = async (column: string) => {
      const found = await connection.runAndReadAll(
        `select comment from duckdb_columns() where table_name = 'incident_times' and column_name = '${column}'`,
      )
      return String(found.getRows()[0]![0])
    }
    const ofMacro = async () =>
      String(
        (
          await connection.runAndReadAll(`select comment from duckdb_functions() where function_name = 'p90'`)
        ).getRows()[0]![0],
      )
    await createTables(connection, resources)
    expect(await commentOf('time_to_ack_s')).toContain(
      'Rule: Time to acknowledge: from start to first acknowledgement.',
    )
    expect(await ofMacro()).toContain('With fewer than 10 incidents, there is no p90')
    const policies = [{ name: 'ack', value: 'close_counts' }, defaultSettings.policies[1]!]
    await createTables(connection, resources, { ...withLimits(40, 38), policies })
    expect(await commentOf('time_to_ack_s')).toContain(
      'or to the close if there was none (policy close_counts)',
    )
    expect(await ofMacro()).toContain('With fewer than 40 incidents, there is no p90')
    instance.closeSync()
  })
})
