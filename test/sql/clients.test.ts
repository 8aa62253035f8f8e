import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createSandbox, sync } from '../../src/sdk/index.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { run } from '../support/cli.ts'
import { ownFolder } from '../support/folder.ts'
import { installed } from '../support/python.ts'
import { openReader } from '../support/storage.ts'

/** These tests open the file with DuckDB for Python, in versions of the last two years from PyPI. */
const folder = ownFolder()
const warehouse = join(folder, 'faultline.duckdb')

/**
 * A Python program that lists everything in the file that cannot be read, with the file opened directly and attached.
 */
const PROGRAM = `
import sys, json, duckdb
path, calls, left, bad, seen, values = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3]), [], 0, {}
def attempt(c, query):
    global seen
    seen += 1
    try: return c.execute(query).fetchone()
    except Exception as error: bad.append([query, str(error).split('\\n')[0]])
own = duckdb.connect(path, read_only=True)
other = duckdb.connect()
other.execute(f"attach '{path}' as w (read_only)")
for c, of in ((own, ''), (other, 'w.')):
    c.execute('set enable_progress_bar = false')
    names = c.execute("select view_name from duckdb_views() where not internal union all select table_name from duckdb_tables()").fetchall()
    for (name,) in names: attempt(c, f'select count(*) from {of}"{name}"')
other.execute('use w')
for c in (own, other):
    macros = c.execute("""select distinct function_name from duckdb_functions()
        where function_type = 'table_macro' and not internal and database_name = current_database()""").fetchall()
    for (name,) in macros:
        if name not in left: attempt(c, f'select count(*) from {name}()')
    scalars = c.execute("""select distinct function_name from duckdb_functions()
        where function_type = 'macro' and not internal and database_name = current_database()""").fetchall()
    bad += [[name, 'no call: add one to CALLS'] for (name,) in scalars if name not in calls]
    for name, call in calls.items():
        # As JSON: of times Python would want one more package.
        value = attempt(c, f'select to_json({call})::varchar')
        if value: values[name] = value[0]
print(json.dumps([duckdb.__version__, seen, bad, values]))
`

const weeks = (...counts: number[]) => `[${counts.map((n) => `{'n': ${n}, 'days': 7e0}`).join(', ')}]`
const trials = (...counts: [number, number][]) =>
  `[${counts.map(([hits, n]) => `{'hits': ${hits}, 'n': ${n}}`).join(', ')}]`
const at = (day: number) => `timestamptz '2026-01-${String(day).padStart(2, '0')} 10:00:00+00'`
const some = 'unnest(range(40))'
const of = (call: string) => `(select ${call} from (select ${some} as x))`

/** A call of each macro that returns a value, by the name of the macro. */
const CALLS: Readonly<Record<string, string>> = {
  ack_by_policy: `ack_by_policy('first_action', ${at(2)}, ${at(1)}, ${at(3)}, 7)`,
  alert_family: `alert_family('Disk 91% full on web-7 in eu-west-1')`,
  alert_family_name: `alert_family_name('Disk … full on …')`,
  binomial_below: 'binomial_below(40, 0.3)',
  binomial_p: 'binomial_p(3, 20, 0.4)',
  change_certainty: 'change_certainty(0.03, 1, true)',
  change_verdict: `change_verdict(0.95, 1, false, 'fewer', 'more')`,
  count_change: `count_change(30, 28, 12, 28, count_dispersion([${weeks(9, 7, 8, 6)}, ${weeks(3, 4, 2, 3)}]))`,
  count_dispersion: `count_dispersion([${weeks(9, 1, 8)}, ${weeks(3, 4, 0)}])`,
  count_limits: 'count_limits([1, 0, 2, 0, 1, 3, 0, 9])',
  count_trend: `count_trend(${weeks(1, 2, 2, 4, 5, 5, 7, 9)})`,
  counted_quantile: of('counted_quantile(x, x + 1, 40, 0.5e0)'),
  daily_rate: `daily_rate(${weeks(3, 4)})`,
  dispersion_p: `dispersion_p(2.5, count_dispersion([${weeks(9, 1, 8)}]))`,
  dispersion_z95: `dispersion_z95(count_dispersion([${weeks(9, 1, 8)}]))`,
  duration_bucket: 'duration_bucket(90)',
  effective_n: `effective_n(40, count_dispersion([${weeks(9, 1, 8)}], of_change := false))`,
  error_share: `error_share('outside', 'teams')`,
  exact_interval: 'exact_interval(70, 612)',
  f_p: 'f_p(3.5, 4, 20)',
  finding_weight: `finding_weight('outside', 'teams', true, 20, 1.3, 2.1, 50)`,
  first_close_s: `first_close_s(200000, ${at(1)}, ${at(2)})`,
  has_post_mortem: `has_post_mortem('a')`,
  hour_band: `hour_band(timestamp '2026-01-05 10:00:00')`,
  incident_state: 'incident_state(true, false)',
  is_merged_away: `is_merged_away('Closed', 0, 0)`,
  is_within: `is_within(${at(2)}, ${at(1)}, null)`,
  log_ratio: 'log_ratio(90, 60)',
  mean_interval: of('mean_interval(x, lowest := 0)'),
  mean_limits: 'mean_limits(40, 10.5, 3.2, 1.1, lowest := 0)',
  moment_of: `moment_of('ack_time', ${at(1)}, ${at(1)}, ${at(2)}, ${at(3)}, ${at(3)}, null, null, null)`,
  normal_p: 'normal_p(1.96)',
  open_s: 'open_s(3600, 60)',
  own_name: `own_name('(all)', 7)`,
  or_all: `or_all('Critical', 0)`,
  p90: of('p90(x)'),
  quantile_interval: of('quantile_interval(x, 0.5)'),
  quantile_ranks: 'quantile_ranks(40, 0.5)',
  seconds_to_answer: `seconds_to_answer(${at(1)}, ${at(2)}, false)`,
  severity_at: `severity_at([{'severity': 'Info', 'since_at': null::timestamptz, 'is_raised': false},
    {'severity': 'Critical', 'since_at': ${at(2)}, 'is_raised': true}], ${at(3)})`,
  severity_rank: `severity_rank('Info')`,
  share_change: `share_change(30, 40, 15, 40, dispersion := share_dispersion([${trials([9, 10], [6, 10])}, ${trials([5, 10], [3, 10])}]))`,
  share_dispersion: `share_dispersion([${trials([9, 10], [6, 10])}, ${trials([5, 10], [3, 10])}])`,
  student_p: 'student_p(2.5, 7)',
  t95: 't95(7)',
  target_clock: `target_clock({'severity': 'Critical', 'since_at': ${at(2)}, 'is_raised': true}, ${at(1)}, 'Info')`,
  threshold: `threshold('p90_min_n', 10)`,
  usual_range: 'usual_range([12, 15, 9, 14, 11, 13, 10, 31, 12])',
  week_of_period: `week_of_period(${at(9)}, ${at(1)}, ${at(29)})`,
  week_dispersion: 'week_dispersion([1.5, 0.5, -1, -1], [-0.5, -0.5, 0.5, 0.5], 2)',
  wilson_interval: 'wilson_interval(3, 10)',
  z95: 'z95()',
  working_zone: `coalesce(working_zone('office', 'Payments'), 'none')`,
}

const PACKAGES = ['duckdb', 'pandas', 'polars', 'pyarrow', 'pytz']

/** The output of `PROGRAM`. `bad` has names and reasons, `values` the JSON result of each call in `CALLS`. */
type Answer = [version: string, seen: number, bad: [string, string][], values: Record<string, string>]

/** Returns the results of `CALLS` in Faultline's own version of DuckDB. */
async function own(): Promise<Record<string, unknown>> {
  const reader = await openReader(warehouse, { settings: defaultSettings })
  const list = Object.entries(CALLS)
  const { rows } = await reader.query(
    `select ${list.map(([, call]) => `to_json(${call})::varchar`).join(', ')}`,
  )
  reader.close()
  return Object.fromEntries(list.map(([name], place) => [name, JSON.parse(String(rows[0]![place]))]))
}

/** Compares two values deeply. Numbers may differ in their last digits, which depend on the order of a sum. */
function expectClose(found: unknown, wanted: unknown, name: string) {
  if (typeof wanted === 'number') expect(found, name).toBeCloseTo(wanted, 9)
  else if (wanted !== null && typeof wanted === 'object')
    for (const [key, value] of Object.entries(wanted))
      expectClose((found as Record<string, unknown>)?.[key], value, `${name}.${key}`)
  else expect(found, name).toEqual(wanted)
}

/** Expected errors by DuckDB version, for features that the version lacks. */
const MISSING: Readonly<Record<string, RegExp>> = { '1.2.2': /json_each does not exist/ }
/** Macros whose planning takes minutes, because DuckDB before 1.4 plans a CTE of a macro at each reference. */
const TOO_LONG: Readonly<Record<string, readonly string[]>> = {
  '1.2.2': ['event_changes', 'monitor_figures'],
  '1.3.2': ['event_changes', 'monitor_figures'],
}

describe.runIf(inject('isLarge'))('the published warehouse file', () => {
  beforeAll(async () => {
    const sandbox = await createSandbox({ incidents: 150, limits: false })
    const { baseUrl, appKey } = sandbox
    await sync({ baseUrl, appKey, warehouse, since: new Date(Date.now() - 120 * 86_400_000) })
    await sandbox.close()
  }, 300_000)

  // Versions 1.4.0 to 1.4.2 are skipped because of their own defects.
  const older = inject('isRelease') ? ['1.2.2', '1.3.2', '1.4.5', '1.5.6'] : []
  test.for([...older, '2.0.0'])(
    'can be queried by DuckDB %s, including every view and metric',
    { timeout: 180_000 },
    async (version, context) => {
      const packages = join(folder, version)
      if (!installed([`duckdb==${version}`], packages))
        context.skip(`duckdb ${version} could not be installed`)
      const env = { ...process.env, PYTHONPATH: packages }
      const given = [CALLS, TOO_LONG[version] ?? []].map((value) => JSON.stringify(value))
      const { stdout, stderr, error } = spawnSync('python3', ['-c', PROGRAM, warehouse, ...given], {
        env,
        encoding: 'utf8',
        // Limits the process itself, because the timeout of the test cannot interrupt a synchronous call.
        timeout: 170_000,
      })
      expect([stderr, error]).toEqual(['', undefined])
      const [found, seen, bad, values] = JSON.parse(stdout) as Answer
      expect(found).toBe(version)
      expect(seen).toBeGreaterThan(150)
      expect(bad.filter(([, reason]) => !MISSING[version]?.test(reason))).toEqual([])
      for (const [name, value] of Object.entries(await own()))
        expectClose(JSON.parse(values[name] ?? '"nothing"'), value, name)
    },
  )

  test.runIf(inject('isRelease'))(
    'can be read by the Python recipes of sql/README.md',
    { timeout: 240_000 },
    async (context) => {
      const guide = readFileSync(new URL('../../sql/README.md', import.meta.url), 'utf8')
      const recipes = [...guide.matchAll(/^```python\n(.*?)^```/gms)].map(([, text]) => text!)
      expect(recipes.length).toBeGreaterThan(2)
      const packages = join(folder, 'recipes')
      if (!installed(PACKAGES, packages)) context.skip(`${PACKAGES.join(', ')} could not be installed`)
      expect((await run(['export', '--warehouse', warehouse], {}, folder)).code).toBe(0)
      for (const recipe of recipes) {
        const env = { ...process.env, PYTHONPATH: packages }
        const { status, stderr, stdout } = spawnSync('python3', ['-c', recipe], {
          cwd: folder,
          env,
          encoding: 'utf8',
        })
        expect([status, status === 0 ? '' : stderr]).toEqual([0, ''])
        expect(stdout).not.toBe('')
      }
    },
  )
})
