import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { dimensionsSchema } from '../../src/config/custom-definitions.ts'
import { run } from '../support/cli.ts'
import { blocks } from '../support/markdown.ts'
import { seeded } from '../support/random.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

/** The example of src/config/custom-definitions.md, on a small world in which 92 % of the incidents are tests. */
const [example] = blocks('src/config/custom-definitions.md', 'json')
const [table] = blocks('src/config/custom-definitions.md', 'yaml')
const HOUR = 3600
const asOf = Date.UTC(2026, 10, 2) / 1000
const first = asOf - 13 * 7 * 24 * HOUR
const channels = ['Soaking', 'Silent Test', 'Checkout', 'Search'].map((channel_name, index) => ({
  channel_id: index + 1,
  channel_name,
  team_id: index + 1,
}))
const services = ['checkout', 'cart', 'it’s <b>"odd"</b>', undefined]

const random = seeded(29)
const some = (most: number) => Math.floor(random() * most)
const incidents = Array.from({ length: 625 }, (_, place) => {
  const isTest = place % 25 > 1
  const start_time = first + some(13 * 7 * 24 * HOUR - 9 * HOUR)
  const service = services[some(4)]
  const shared = {
    incident_id: `i${place}`,
    num: `N${place}`,
    title: place % 50 === 1 ? '[Test] again' : `Disk ${place}`,
    incident_severity: ['Critical', 'Warning', 'Info'][some(3)]!,
    progress: 'Closed',
    creator_id: 0,
    alert_cnt: 1,
    start_time,
    labels: {
      ...(service && { service }),
      ...(some(6) === 0 ? { env: 'staging' } : { env: 'prod' }),
      ...(some(2) && { region: 'eu' }),
    },
    fields: some(3) === 0 ? { region: 'US' } : {},
  }
  return isTest
    ? {
        ...shared,
        channel_id: 1 + some(2),
        ack_time: start_time + 5,
        close_time: start_time + 20,
        closer_id: 0,
      }
    : {
        ...shared,
        channel_id: 3 + some(2),
        ack_time: start_time + 60 + some(HOUR),
        close_time: start_time + 2 * HOUR + some(6 * HOUR),
        closer_id: 7,
      }
})

/** An independent computation of the definitions, without SQL. */
const isStaging = ({ labels, title }: (typeof incidents)[number]) =>
  labels.env === 'staging' || title.toLowerCase().startsWith('[test]')
const tests = incidents.filter(({ channel_id }) => channel_id <= 2)
const staging = incidents.filter((one) => one.channel_id > 2 && isStaging(one))
const counted = incidents.filter((one) => one.channel_id > 2 && !isStaging(one))
const serviceOf = ({ labels }: (typeof incidents)[number]) => labels.service ?? '(none)'

const SMALL = `---
title: Small
params: { period: 13 weeks }
---
\`\`\`sql summary
select count(*) as incidents, median(ttr) as ttr from scoped_incidents where period = 'current'
\`\`\`

{{ summary.incidents }} incidents, {{ summary.ttr | duration }}.
`

let folder: string
async function placeWith(config: object) {
  const place = scratch()
  mkdirSync(join(place, 'own'))
  writeFileSync(join(place, 'own/small.md'), SMALL)
  copyFileSync(source, join(place, 'faultline.duckdb'))
  writeFileSync(join(place, 'config.json'), JSON.stringify({ ...config, reports: './own' }, null, 1))
  return place
}
let source: string
beforeAll(async () => {
  source = await warehouseFile((connection) =>
    inhabit(connection, {
      incidents,
      channels,
      teams: channels.map(({ channel_id, channel_name }) => ({
        team_id: channel_id,
        team_name: `Team ${channel_name}`,
      })),
      runs: [{ run_id: 1, status: 'ok', finished_at: asOf, as_of_at: asOf }],
      windows: [
        { run_id: 1, resource: 'incidents', state: 'done', window_start: first - 1, window_end: asOf },
      ],
    }),
  )
  folder = await placeWith(JSON.parse(example!))
})

async function reportOf(options: readonly string[] = [], place = folder) {
  const { out, err } = await run(['report', 'small', '--json', ...options], {}, place)
  expect(err.split('\n').filter((line) => line.startsWith('error'))).toEqual([])
  return JSON.parse(out) as {
    counted: {
      funnel: { label: string; count: number; exclusion?: string }[]
      rules: { term: string; text: string }[]
    }
    frame: { leftOut?: string; dimensions?: string }
    results: Record<string, Record<string, unknown>[]>
  }
}

async function columnsOfScope(): Promise<string[]> {
  const sql = 'select unnest(list(column_name)) as name from (describe scoped_incidents)'
  writeFileSync(
    join(folder, 'own/columns.md'),
    `---\ntitle: C\n---\n\`\`\`sql columns\n${sql}\n\`\`\`\n\`\`\`table\ndata: columns\n\`\`\`\n`,
  )
  const { out } = await run(['report', 'columns', '--json'], {}, folder)
  const { results } = JSON.parse(out) as Awaited<ReturnType<typeof reportOf>>
  return results.columns!.map(({ name }) => String(name))
}

describe('with custom definitions that exclude 92% of the incidents,', () => {
  test('a report states the number of excluded incidents for each exclusion', async () => {
    expect(tests.length / incidents.length).toBeCloseTo(0.92, 2)
    const { counted: of, frame } = await reportOf()
    const named = of.funnel.filter(({ exclusion }) => exclusion)
    expect(named.map(({ exclusion, count }) => [exclusion, count])).toEqual([
      ['test channels', tests.length],
      ['staging', staging.length],
    ])
    expect(of.funnel.find(({ label }) => label === 'included')?.count).toBe(counted.length)
    expect(frame.leftOut).toBe(
      `${tests.length + staging.length} excluded: test channels (${tests.length}), staging (${staging.length})`,
    )
    expect(of.rules).toContainEqual({
      term: 'Excluded: test channels',
      text: "where channel_name in ('Soaking', 'Silent Test') (reason: nobody is called)",
    })
    expect(of.rules.at(-1)?.text).toMatch(/^own_incidents [0-9a-f]{12}, from the configuration$/)
  })

  test('an export covers only included incidents, with the same definitions as a report', async () => {
    expect(
      (await run(['export', 'incident_times', '--format', 'ndjson', '--to', 'e'], {}, folder)).code,
    ).toBe(0)
    const exported = (name: string) => readFileSync(join(folder, 'e', name), 'utf8')
    expect(exported('incident_times.ndjson').trim().split('\n')).toHaveLength(counted.length)
    const page = (await reportOf()).counted.rules.at(-1)!.text
    for (const name of ['datapackage.json', 'manifest.json'])
      expect(`${JSON.parse(exported(name)).definitions}, from the configuration`).toBe(page)
  })

  test('a report of one service covers only incidents of that service', async () => {
    const own = counted.filter((one) => serviceOf(one) === 'cart')
    const { counted: of, frame } = await reportOf(['--service', 'cart', '--format', 'html'])
    expect(frame.dimensions).toBe('service: cart')
    expect(of.funnel.find(({ label }) => label === 'included')?.count).toBe(own.length)
    const count = (some: typeof incidents) => some.filter((one) => serviceOf(one) === 'cart').length
    expect(of.funnel.flatMap(({ exclusion, count }) => (exclusion ? [count] : []))).toEqual([
      count(tests),
      count(staging),
    ])
    expect(readFileSync(join(folder, 'out/service/cart/small.html'), 'utf8')).toContain('service: cart')
    const two = await reportOf(['--service=cart,checkout', '--region', 'US'])
    const both = counted.filter(
      (one) => ['cart', 'checkout'].includes(serviceOf(one)) && one.fields.region === 'US',
    )
    expect(two.counted.funnel.find(({ label }) => label === 'included')?.count).toBe(both.length)
  })

  test('`faultline report --pages service` writes pages for each service', async () => {
    const { code, out } = await run(['report', 'small', '--pages', 'service'], {}, folder)
    expect([code, out]).toEqual([3, expect.stringContaining('out/service/: pages of 4 values')])
    for (const name of ['cart', 'checkout'])
      expect(existsSync(join(folder, `out/service/${name}/index.html`))).toBe(true)
    expect(readFileSync(join(folder, 'out/small.html'), 'utf8')).toContain('excluded: test channels')
    const index = readFileSync(join(folder, 'out/service/index.html'), 'utf8')
    expect(index).toContain('it’s &lt;b&gt;&quot;odd&quot;&lt;/b&gt;')
    expect(index).not.toContain('<b>"odd"')
  })

  test('a table grouped by a dimension has a row for each value', async () => {
    writeFileSync(
      join(folder, 'own/by.md'),
      `---\ntitle: By\nparams: { period: 13 weeks }\n---\n\`\`\`table\n${table}\`\`\`\n`,
    )
    const { out } = await run(['report', 'by', '--json'], {}, folder)
    const [rows] = Object.values((JSON.parse(out) as Awaited<ReturnType<typeof reportOf>>).results)
    const count = (service: string) => counted.filter((one) => serviceOf(one) === service).length
    expect(rows!.map((row) => [row.service, row.incidents]).sort()).toEqual(
      [...new Set(counted.map(serviceOf))].map((service) => [service, count(service)]).sort(),
    )
  })

  test('a dimension cannot have the name of a column of scoped_incidents', async () => {
    const columns = await columnsOfScope()
    expect(columns.length).toBeGreaterThan(60)
    const possible = columns.filter((name) => dimensionsSchema.safeParse({ [name]: 'title' }).success)
    expect(possible.sort()).toEqual(['region', 'service'])
  })

  test('`faultline check` reports unknown labels and invalid conditions', async () => {
    const checked = async (reporting: object) =>
      (await run(['check'], {}, await placeWith({ reporting }))).out
    expect(await checked({ dimensions: { service: 'label.servce' } })).toMatch(
      /config\.json:\d+: reporting\.dimensions\.service: no incident has label\.servce.*Did you mean "label\.service"\?/s,
    )
    expect(await checked({ exclude: [{ name: 'x', where: 'titel is null' }] })).toMatch(
      /config\.json:6: reporting\.exclude, "x": unknown column "titel"\..*Did you mean "title"\?/s,
    )
  })
})

test('misspelled options and values of `faultline report` are reported with a suggestion', async () => {
  const wrong = async (...words: string[]) => (await run(['report', 'small', ...words], {}, folder)).err
  expect(await wrong('--servce', 'cart')).toContain(`unknown option '--servce'\n  Did you mean "--service"?`)
  expect(await wrong('--service', 'crat')).toContain(
    'No incident has the service "crat".\n  Did you mean "cart"?',
  )
  expect(await wrong('--pages', 'servce')).toContain('Unknown dimension "servce".\n  Did you mean "service"?')
})

test('configured corrections and automation change the definition key on a report page', async () => {
  const corrected = async (value: string) => {
    const place = await placeWith({ reporting: { corrections: './c.csv' } })
    writeFileSync(join(place, 'c.csv'), `incident,field,value,who,why\ni0,incident_severity,${value},Ann,x\n`)
    return place
  }
  const places = [
    await corrected('Critical'),
    await corrected('Warning'),
    await placeWith({ reporting: { automation: { members: ['Relay', 'Healer'] } } }),
  ]
  const rules = await Promise.all(places.map(async (place) => (await reportOf([], place)).counted.rules))
  expect(new Set(rules.map((each) => each.at(-1)!.text)).size).toBe(3)
  expect(rules[2]!.at(-2)).toEqual({
    term: 'Automation',
    text: 'Healer, Relay. Automation has no load, is not paged, and does not count as the response of a person.',
  })
})
