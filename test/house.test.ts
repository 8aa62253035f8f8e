import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { resources } from '../src/resources/index.ts'
import { tablesOf } from '../src/warehouse/schema/tables.ts'

/** The map of the house as rules: who may import whom, and through which door a dependency comes in. */
const root = fileURLToPath(new URL('../src/', import.meta.url))

interface SourceFile {
  /** Path below `src/`, such as `sync/plan.ts`. */
  readonly path: string
  /** First folder, or the file's name without its end where it lies in `src/` itself. */
  readonly room: string
  readonly text: string
  /** Specifiers as written. */
  readonly imports: readonly string[]
}

const files: SourceFile[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, room: roomOf(path), text, imports: importsOf(text) }
  })

function roomOf(path: string): string {
  return path.split('/')[0]!.replace(/\.ts$/, '')
}

/** Static, re-exporting, bare and dynamic imports, also of types. */
function importsOf(text: string): string[] {
  const statements = text.matchAll(/^\s*(?:import|export)\b[^'"=;(]*?\bfrom\s*(['"])(.+?)\1/gm)
  const bare = text.matchAll(/^\s*import\s*(['"])(.+?)\1/gm)
  const dynamic = text.matchAll(/\bimport\(\s*(['"])(.+?)\1/g)
  return [...statements, ...bare, ...dynamic].map((match) => match[2]!)
}

/** The file below `src/` that a relative import names, e.g. `errors.ts`; `../…` when it leads out of `src/`. */
function targetOf(file: SourceFile, specifier: string): string {
  return relative(root, join(root, dirname(file.path), specifier))
}

const lowest = ['errors', 'effects']

/** What each room may import besides itself: rooms, or single files of one. `cli` sees all. */
const mayImport: Record<string, readonly string[]> = {
  errors: [],
  effects: [],
  contract: [],
  render: [],
  client: ['contract', 'config/loopback.ts', ...lowest],
  resources: ['contract', ...lowest],
  sandbox: ['contract', 'errors', 'effects'],
  // Only what a time is: the schedule itself reads the configuration.
  config: ['contract', 'schedule/cron.ts', ...lowest],
  warehouse: ['contract', 'resources', 'config/settings.ts', 'config/lake.ts', ...lowest],
  sync: ['contract', 'client', 'resources', 'warehouse', 'config/settings.ts', 'config/lake.ts', ...lowest],
  report: [
    'warehouse',
    'render',
    'config/report-names.ts',
    'config/zone.ts',
    'config/duration.ts',
    'config/yaml.ts',
    'schedule/cron.ts',
    ...lowest,
  ],
  // What is scheduled is given to it as functions.
  schedule: ['config', ...lowest],
  delivery: ['config', 'report', 'render', ...lowest],
  // What programs are given: everything but the command line.
  sdk: [
    'client',
    'config',
    'contract',
    'render',
    'report',
    'resources',
    'sandbox',
    'sync',
    'warehouse',
    'version',
    ...lowest,
  ],
}

/** One dependency, one door (or the few that the design names). */
const doors: Record<string, readonly string[]> = {
  undici: ['client', 'delivery'],
  bottleneck: ['client'],
  ioredis: ['client'],
  'p-limit': ['sync'],
  '@duckdb/node-api': ['warehouse'],
  kysely: ['warehouse', 'sync', 'sdk'],
  'node-cron': ['schedule'],
  croner: ['schedule'],
  nodemailer: ['delivery'],
  'playwright-core': ['delivery'],
  'markdown-it': ['report', 'render'],
  yaml: ['config'],
  'd3-array': ['render'],
  'd3-scale': ['render'],
  'd3-shape': ['render'],
  'd3-time-format': ['render'],
  'string-width': ['render', 'cli'],
  '@opentelemetry/api': ['cli'],
  commander: ['cli'],
  '@clack/prompts': ['cli'],
  sirv: ['cli'],
  zod: ['contract', 'resources', 'client', 'sandbox', 'render', 'report', 'config', 'cli'],
  'node:http': ['sandbox', 'cli'],
  'node:https': [],
}

test('the imports of the sources are found', () => {
  const all = files.flatMap((file) => file.imports)
  expect(files.length).toBeGreaterThan(100)
  expect(all.filter((one) => one.startsWith('.')).length).toBeGreaterThan(files.length)
  expect(
    importsOf(`import a from 'a'\nimport {\n  b,\n  type C,\n} from "./b.ts"\nexport * from './c.ts'
import './d.ts'\nconst e = await import('./e.ts')\ntype F = import('./f.ts').F\nexport type { G } from './g.ts'`).sort(),
  ).toEqual(['./b.ts', './c.ts', './d.ts', './e.ts', './f.ts', './g.ts', 'a'])
})

describe('imports', () => {
  test('go left or down only', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(file, specifier))
        .filter((target) => !isAllowed(file.room, target))
        .map((target) => `src/${file.path} imports ${target}: ${file.room} may not import ${roomOf(target)}`),
    )
    expect(wrong).toEqual([])
  })

  test('name the file with its end', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.ts'))
        .map((specifier) => `src/${file.path} imports ${specifier}`),
    )
    expect(wrong).toEqual([])
  })

  test('make no cycle', () => {
    expect(cycles()).toEqual([])
  })

  test('of a dependency come through its door', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => !specifier.startsWith('.'))
        .map(packageOf)
        .filter((name) => !name.startsWith('node:') || name in doors)
        .filter((name) => !doors[name]?.includes(file.room))
        .map(
          (name) =>
            `src/${file.path} imports ${name}, which belongs in ${doors[name]?.join(' or ') || 'no room yet'}`,
        ),
    )
    expect(wrong).toEqual([])
  })
})

/** @param target the path of a file below `src/`, as `targetOf` names it */
function isAllowed(from: string, target: string): boolean {
  const to = roomOf(target)
  if (to === '..') return false
  const allowed = mayImport[from] ?? []
  return from === to || from === 'cli' || allowed.includes(to) || allowed.includes(target)
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** Each cycle as the files along it, found by walking down from every file once. */
function cycles(): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const found: string[] = []
  const settled = new Set<string>()
  const walk = (path: string, trail: readonly string[]) => {
    const again = trail.indexOf(path)
    if (again !== -1) found.push([...trail.slice(again), path].join(' → '))
    const file = byPath.get(path)
    if (again !== -1 || settled.has(path) || !file) return
    for (const specifier of file.imports) {
      if (specifier.startsWith('.')) walk(targetOf(file, specifier), [...trail, path])
    }
    settled.add(path)
  }
  for (const file of files) walk(file.path, [])
  return found
}

describe('names', () => {
  test('of files and folders are kebab-case, and none is a drawer', () => {
    const drawers = /(^|\/)(utils?|helpers?|common|types?|misc|shared|lib)(\.ts|\/)/
    const wrong = files.filter(
      ({ path }) =>
        drawers.test(path) || !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path),
    )
    expect(wrong.map(({ path }) => `src/${path}`)).toEqual([])
  })

  test('of resources stand in their own files only', () => {
    const tables = resources.map((resource) => resource.table)
    const literals = new RegExp(`(case\\s+|[=!]==?\\s*)(['"\`])(${tables.join('|')})\\2`)
    const engine = new RegExp(
      `(['"\`])(${resources
        .flatMap(tablesOf)
        .map((table) => table.name)
        .join('|')})\\1`,
    )
    const wrong = files.filter(
      ({ room, text }) => literals.test(text) || (['sync', 'warehouse'].includes(room) && engine.test(text)),
    )
    expect(wrong.map(({ path }) => `src/${path} knows a resource by its name`)).toEqual([])
  })
})

/**
 * Where SQL may be written out: in `sql/` and `reports/`, in `warehouse/`, which makes tables and loads them, in `sync/`
 * inside of Kysely, and in these. Everything else reads what has a name (`from runs`).
 */
const writesSql: Record<string, string> = {
  'cli/demo.ts': 'an example of what people type',
  'cli/program.ts': 'an example of what people type',
  'cli/sql/sql.ts': 'an example of what people type',
  'cli/export/export.ts': 'the manifest, by what an exporter can ask',
  'report/starter.ts': 'the text of a new report',
  'report/run.ts': 'keeps what the queries of reports/ say',
  'report/resolve/figures.ts': 'hands results to the queries of reports/frame/',
}

/** A query in a literal: `select … from …`. Comments and calls of a query builder are none. */
function hasQuery(text: string): boolean {
  const code = text.replace(/^\s*(\/\*|\*|\/\/).*$/gm, '')
  return /(?<!\.|const )\bselect\s+[^=.(},\s][^;]{0,400}?\s(from|join)\s/i.test(code)
}

describe('SQL', () => {
  test('is found where it stands', () => {
    expect(hasQuery("query('select a, b from t')")).toBe(true)
    expect(hasQuery('const rows = `\n  SELECT max(a)\n  FROM t`')).toBe(true)
    expect(hasQuery('with a as (select count(*) as n from t) from a')).toBe(true)
    expect(hasQuery("query('from runs order by run_id desc')")).toBe(false)
    expect(
      hasQuery("import { select } from './a.ts'\n/** Select all from it. */\nconst select = from(a)"),
    ).toBe(false)
    expect(hasQuery("db.selectFrom('t').select('a').where('from', '=', 1)")).toBe(false)
  })

  test('is written in its places; everything else reads a relation of sql/ by its name', () => {
    const found = files.filter(({ room, text }) => !['warehouse', 'sync'].includes(room) && hasQuery(text))
    expect(found.map(({ path }) => path).filter((path) => !(path in writesSql))).toEqual([])
    const stale = Object.keys(writesSql).filter((path) => !found.some((file) => file.path === path))
    expect(stale, 'listed, but without SQL').toEqual([])
  })
})

test('the environment is read in config/ only; cli may ask whether to use colour', () => {
  const wrong = files.flatMap(({ path, room, text }) =>
    [...text.matchAll(/process\.env\b(\??\.\w+|\[[^\]]*\])?/g)]
      .filter(
        ([, variable]) =>
          room !== 'config' && !(room === 'cli' && /NO_COLOR|FORCE_COLOR/.test(variable ?? '')),
      )
      .map(([use]) => `src/${path} reads ${use}`),
  )
  expect(wrong).toEqual([])
})

test('src/README.md names every folder, and only files that are there', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const named = [...text.matchAll(/`((?:\.\.\/)?[a-z0-9-]+\/[a-z0-9/.-]*)`/g)].map((match) => match[1]!)
  const here = (path: string) => [join(root, path), join(root, '..', path)].some((one) => existsSync(one))
  expect(named.length).toBeGreaterThan(30)
  expect(
    named.filter((path) => !here(path) && !files.some((file) => file.path.endsWith(path)) && !isFolder(path)),
  ).toEqual([])
  const rooms = [
    ...new Set(
      files
        .map(({ path }) => path.split('/'))
        .filter((parts) => parts.length > 1)
        .map(([room]) => room),
    ),
  ]
  expect(rooms.filter((room) => !text.includes(`\`${room}/\``))).toEqual([])
})

/** A folder inside of a room, such as `load/`. */
function isFolder(path: string): boolean {
  return path.endsWith('/') && files.some((file) => `/${file.path}`.includes(`/${path}`))
}

test('the folders of the tests are those of src, but for a few that say what they are about', () => {
  const tests = fileURLToPath(new URL('.', import.meta.url))
  const own = /^(attacks|bench|browser|e2e|fuzz|sql|support)\b|^sandbox\/conformance$|(^|\/)\.tmp(\/|$)/
  const folders = readdirSync(tests, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(tests, join(entry.parentPath, entry.name)))
  expect(folders.length).toBeGreaterThan(30)
  expect(folders.filter((folder) => !own.test(folder) && !existsSync(join(root, folder)))).toEqual([])
})
