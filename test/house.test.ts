import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tablesOf } from '../src/definitions/tables.ts'
import { resources } from '../src/resources/index.ts'
import * as above from './support/above-ceilings.ts'
import { against, ceilings } from './support/ceilings.ts'
import { functionsIn } from './support/functions.ts'
import { doors, ground, mayImport, sqlRooms, writesSql } from './support/house-map.ts'
import {
  cycles,
  filesBelow,
  importsOf,
  lineCount,
  roomOf,
  root,
  sourceFiles,
  src,
  targetOf,
} from './support/sources.ts'

const files = sourceFiles()
const loading = new Set(['lake', 'sync', 'warehouse'])
test('the import scanner finds every kind of import in source files', () => {
  const all = files.flatMap((file) => file.imports)
  expect(files.length).toBeGreaterThan(100)
  expect(all.filter((one) => one.startsWith('.')).length).toBeGreaterThan(files.length)
  expect(
    importsOf(`import a from 'a'\nimport {\n  b,\n  type C,\n} from "./b.ts"\nexport * from './c.ts'
import './d.ts'\nconst e = await import('./e.ts')\ntype F = import('./f.ts').F\nexport type { G } from './g.ts'`).sort(),
  ).toEqual(['./b.ts', './c.ts', './d.ts', './e.ts', './f.ts', './g.ts', 'a'])
})

describe('every import', () => {
  test('leads only to a folder that house-map.ts allows', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(file, specifier))
        .filter((target) => !isAllowed(file.room, target))
        .map((target) => `src/${file.path} imports ${target}: ${file.room} may not import ${roomOf(target)}`),
    )
    expect(wrong).toEqual([])
  })

  test('includes the file extension', () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.ts'))
        .map((specifier) => `src/${file.path} imports ${specifier}`),
    )
    expect(wrong).toEqual([])
  })

  test('is not part of a cycle', () => {
    expect(cycles(files)).toEqual([])
  })

  test('of an npm package occurs only in a folder that may use the package', () => {
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
  if (ground.includes(from)) return ground.indexOf(to) !== -1 && ground.indexOf(to) <= ground.indexOf(from)
  return from === to || ground.includes(to) || mayImport[from]!.includes(to)
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

describe('names', () => {
  test('of files and folders are in kebab-case, and not generic like `utils`', () => {
    const drawers = /(^|\/)(utils?|helpers?|common|types?|misc|shared|lib)(\.ts|\/)/
    const wrong = files.filter(
      ({ path }) =>
        drawers.test(path) || !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path),
    )
    expect(wrong.map(({ path }) => `src/${path}`)).toEqual([])
  })

  test('of synced resources appear only in the files of those resources', () => {
    const tables = resources.map((resource) => resource.table)
    const literals = new RegExp(`(case\\s+|[=!]==?\\s*)(['"\`])(${tables.join('|')})\\2`)
    const engine = new RegExp(
      `(['"\`])(${resources
        .flatMap(tablesOf)
        .map((table) => table.name)
        .join('|')})\\1`,
    )
    const wrong = files.filter(
      ({ room, text }) => literals.test(text) || (loading.has(room) && engine.test(text)),
    )
    expect(wrong.map(({ path }) => `src/${path} knows a resource by its name`)).toEqual([])
  })
})

/** Whether a text contains a query (`select … from …`). Comments and calls of a query builder do not count. */
function hasQuery(text: string): boolean {
  const code = text.replace(/^\s*(\/\*|\*|\/\/).*$/gm, '')
  return /(?<!\.|const )\bselect\s+[^=.(},\s][^;]{0,400}?\s(from|join)\s/i.test(code)
}

describe('SQL', () => {
  test('in string literals is detected by the scanner of this test', () => {
    expect(hasQuery("query('select a, b from t')")).toBe(true)
    expect(hasQuery('const rows = `\n  SELECT max(a)\n  FROM t`')).toBe(true)
    expect(hasQuery('with a as (select count(*) as n from t) from a')).toBe(true)
    expect(hasQuery("query('from runs order by run_id desc')")).toBe(false)
    expect(
      hasQuery("import { select } from './a.ts'\n/** Select all from it. */\nconst select = from(a)"),
    ).toBe(false)
    expect(hasQuery("db.selectFrom('t').select('a').where('from', '=', 1)")).toBe(false)
  })

  test('is written only in the folders that house-map.ts lists', () => {
    const found = files.filter(({ room, text }) => !(room in sqlRooms) && hasQuery(text))
    expect(found.map(({ path }) => path).filter((path) => !(path in writesSql))).toEqual([])
    const stale = Object.keys(writesSql).filter((path) => !found.some((file) => file.path === path))
    expect(stale, 'listed, but without SQL').toEqual([])
  })
})

describe('error messages', () => {
  /** Expressions for the message of an error are the field, a thrown text, and common variable names. */
  const message = String.raw`(?:[\w.?!]+\.message|String\((?:[\w.?!]+\.)?(?:cause|error|reason|problem|failure)\)|(?:reasonOf|firstLineOf)\([^()]*\)|\b(?:cause|error|message|reason))`
  const read = [
    String.raw`\.(?:test|exec)\(\s*${message}\s*\)`,
    String.raw`${message}[?!]?\.(?:match|matchAll|search|includes|startsWith|endsWith|indexOf)\(`,
    String.raw`(?<!typeof [\w.?!]+)\.message\s*[!=]==?\s*['"\`][^'"\`]`,
  ].map((one) => new RegExp(one))
  const reads = (text: string) => text.split('\n').filter((line) => read.some((one) => one.test(line)))

  test('are detected by the scanner of this test if the code parses them', () => {
    const found = [
      'if (/lock/.test(String(cause))) throw cause',
      'if (/lock/.test(error.message)) throw error',
      'const line = /^LINE (\\d+):/m.exec(cause.message)?.[1]',
      "return cause.message.startsWith('IO Error')",
      "return String(error).includes('pkey')",
      'if (LOCKED.test(reason)) return true',
      "if (issue.message !== 'Invalid input') return [issue]",
    ]
    expect(reads(found.join('\n'))).toEqual(found)
    const others = ['if (KEY.test(name))', 'note(error.message)', "if (run.message !== '') note(run.message)"]
    expect(reads(others.join('\n'))).toEqual([])
  })

  test('are parsed only in external-errors.ts', () => {
    const wrong = files
      .filter(({ path }) => path !== 'external-errors.ts')
      .flatMap(({ path, text }) => reads(text).map((line) => `src/${path}: ${line.trim()}`))
    expect(wrong).toEqual([])
    expect(reads(files.find(({ path }) => path === 'external-errors.ts')!.text).length).toBeGreaterThan(3)
  })
})

test('environment variables are read only in config/, except for color settings in cli/', () => {
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

test('src/README.md mentions every folder, and no missing files', () => {
  const text = readFileSync(join(src, 'README.md'), 'utf8')
  const named = [...text.matchAll(/`((?:\.\.\/)?[a-z0-9-]+\/[a-z0-9/.-]*)`/g)].map((match) => match[1]!)
  const here = (path: string) => [join(src, path), join(root, path)].some((one) => existsSync(one))
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
  const words = text.slice(text.indexOf('## Words')).match(/^\| /gm)
  expect(words!.length - 1, 'rows of the glossary').toBeLessThanOrEqual(60)
})

/** Whether a path of src/README.md names a nested folder, such as `load/`. */
function isFolder(path: string): boolean {
  return path.endsWith('/') && files.some((file) => `/${file.path}`.includes(`/${path}`))
}

test('the test folders match the folders of src, except for a few with another subject', () => {
  const tests = join(root, 'test')
  const own =
    /^(attacks|bench|browser|e2e|fuzz|simulation|sql|support)\b|^sandbox\/conformance$|(^|\/)\.tmp(\/|$)/
  const folders = readdirSync(tests, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(tests, join(entry.parentPath, entry.name)))
  expect(folders.length).toBeGreaterThan(30)
  expect(folders.filter((folder) => !own.test(folder) && !existsSync(join(src, folder)))).toEqual([])
})

describe('the size limit', () => {
  const written = [...filesBelow('src', /\.ts$/), ...filesBelow('test', /\.ts$/)]
  const functions = written.flatMap(({ path, text }) =>
    functionsIn(text).map((one) => ({ ...one, name: `${path} › ${one.name}` })),
  )

  test('counts the lines of a function’s body, including nested functions', () => {
    expect(
      functionsIn(`export function a(\n  b: string,\n) {\n  return [b].map((c) => {\n    return c\n  })\n}
const d = async () =>\n  1\nclass E {\n  f() {}\n}\ndescribe.each([1])('g %s', () => {\n  test(\`h\`, () => {})\n})`),
    ).toEqual([
      { name: 'a', lines: 5, isDescribe: false },
      { name: 'a function given to map', lines: 3, isDescribe: false },
      { name: 'd', lines: 1, isDescribe: false },
      { name: 'f', lines: 1, isDescribe: false },
      { name: "describe 'g %s'", lines: 3, isDescribe: true },
      { name: 'test `h`', lines: 1, isDescribe: false },
    ])
    expect(functions.length).toBeGreaterThan(5000)
  })

  test('is reported with advice, such as to split the code', () => {
    const said = against(
      { grown: 80, shrunk: 80, gone: 80, same: 80 },
      [
        ['new', 61],
        ['grown', 81],
        ['shrunk', 69],
        ['gone', 60],
        ['same', 71],
      ],
      60,
      'lines',
    )
    expect(said).toEqual([
      'new has 61 lines, may have 60: split it by subject',
      'grown has 81 lines, may have 80: split it by subject',
      'gone is not above 60 lines: take its entry out in test/support/above-ceilings.ts (or move it with its code)',
      'shrunk has only 69 lines: write 69 in test/support/above-ceilings.ts',
    ])
  })

  test('for a file is 300 lines', () => {
    const sizes = written.map(({ path, text }) => [path, lineCount(text)] as const)
    expect(against(above.files, sizes, ceilings.files, 'lines')).toEqual([])
  })

  test('for a function is 60 lines, and for a `describe` 120', () => {
    const sizes = (isDescribe: boolean) =>
      functions.filter((one) => one.isDescribe === isDescribe).map((one) => [one.name, one.lines] as const)
    expect(against(above.functions, sizes(false), ceilings.functions, 'lines')).toEqual([])
    expect(against(above.describes, sizes(true), ceilings.describes, 'lines')).toEqual([])
  })

  test('for a line of SQL or of a report is 120 columns', () => {
    const wide = [...filesBelow('sql', /\.sql$/), ...filesBelow('reports', /(?<!README)\.(sql|md)$/)].map(
      ({ path, text }) =>
        [path, text.split('\n').filter((line) => line.length > ceilings.columns).length] as const,
    )
    expect(against(above.wideLines, wide, 0, 'lines of more than 120 columns', 'break them')).toEqual([])
  })
})
