import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createSandbox, sync } from '../../src/sdk/index.ts'
import { run } from '../support/cli.ts'
import { installed } from '../support/python.ts'

/** What the file is opened with elsewhere: DuckDB in Python, in versions of the last two years, each from PyPI. */
const folder = mkdtempSync(join(tmpdir(), 'faultline-clients-'))
const warehouse = join(folder, 'faultline.duckdb')

/** Everything in the file that cannot be read, opened itself and attached. */
const PROGRAM = `
import sys, json, duckdb
path, bad, seen = sys.argv[1], [], 0
def attempt(c, query):
    global seen
    seen += 1
    try: c.execute(query).fetchone()
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
    for (name,) in macros: attempt(c, f'select count(*) from {name}()')
    attempt(c, "select wilson_interval(3, 10).low, duration_bucket(90)")
print(json.dumps([duckdb.__version__, seen, bad]))
`

const PACKAGES = ['duckdb', 'pandas', 'polars', 'pyarrow', 'pytz']

/** What a version lacks. */
const MISSING: Readonly<Record<string, RegExp>> = { '1.2.2': /json_each does not exist/ }

describe.runIf(inject('isLarge'))('the published file in other clients', () => {
  beforeAll(async () => {
    const sandbox = await createSandbox({ incidents: 150, limits: false })
    const { baseUrl, appKey } = sandbox
    await sync({ baseUrl, appKey, warehouse, since: new Date(Date.now() - 120 * 86_400_000) })
    await sandbox.close()
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  // 1.4.0 to 1.4.2 have mistakes of their own: "Table with name final does not exist", an arrow read as JSON.
  test.for(['1.2.2', '1.3.2', '1.4.5', '1.5.6', '2.0.0'])(
    'DuckDB %s reads every view and metric',
    { timeout: 180_000 },
    (version, context) => {
      const packages = join(folder, version)
      if (!installed([`duckdb==${version}`], packages))
        context.skip(`duckdb ${version} could not be installed`)
      const env = { ...process.env, PYTHONPATH: packages }
      const { stdout, stderr } = spawnSync('python3', ['-c', PROGRAM, warehouse], { env, encoding: 'utf8' })
      expect(stderr).toBe('')
      const [found, seen, bad] = JSON.parse(stdout) as [string, number, [string, string][]]
      expect(found).toBe(version)
      expect(seen).toBeGreaterThan(150)
      expect(bad.filter(([, reason]) => !MISSING[version]?.test(reason))).toEqual([])
    },
  )

  test('the recipes of sql/README.md run', { timeout: 240_000 }, async (context) => {
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
  })
})
