/**
 * Changes one operator or bound of each relation in sql/, and runs the tests that name the relation.
 * Usage: `node dist/bench/mutations.js [NAME …] [--seed N] [--files N] [--mode fast]`
 * Prints one JSON line per relation. The last lines list changes that no test detected.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { hash } from '../../dist/sandbox/random.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    files: { type: 'string', default: '3' },
    mode: { type: 'string', default: 'fast' },
  },
})
const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** Possible replacements. They change the meaning of the SQL, but not its structure. */
const SWAPS: readonly (readonly [RegExp, string])[] = [
  [/(?<![<>=-])<=/g, '<'],
  [/(?<![<>=-])>=/g, '>'],
  [/(?<![<>=-])<(?![=>])/g, '<='],
  [/(?<![<>=-])>(?![=>])/g, '>='],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/(?<!select) \* (?!exclude)/g, ' / '],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\band\b/g, 'or'],
  [/\bis not null\b/g, 'is null'],
  [/\bnot is_/g, 'is_'],
  [/\bleft join\b/g, 'join'],
  [/\bunion all\b/g, 'union'],
]

function mutated(name: string, text: string): { text: string; what: string } | undefined {
  // Skips comments: the text before the first statement, and whatever `isComment` finds later.
  const head = text.indexOf('create or replace')
  const places = SWAPS.flatMap(([from, to]) =>
    [...text.matchAll(from)]
      .filter(({ index }) => index > head && !isComment(text, index))
      .map(({ index, 0: found }) => ({ index, found, to })),
  )
  if (places.length === 0) return undefined
  const salt = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7)
  const { index, found, to } = places[hash(Number(values.seed), places.length, salt) % places.length]!
  const line = text.slice(0, index).split('\n').length
  const changed = text.slice(0, index) + to + text.slice(index + found.length)
  return {
    text: changed,
    what: `${line}: ${found.trim()} became ${to.trim()}: ${changed.split('\n')[line - 1]!.trim()}`,
  }
}

function isComment(text: string, index: number): boolean {
  return text.slice(text.lastIndexOf('\n', index) + 1, index).includes('--')
}

/**
 * Returns the test files that name the relation, most mentions first. If there are none, returns the tests of relations
 * that use this relation.
 */
function testsOf(folder: string, relation: string): string[] {
  const text = (file: string) => readFileSync(join(folder, file), 'utf8')
  const all = (place: string, of: RegExp) =>
    readdirSync(join(folder, place), { recursive: true, encoding: 'utf8' })
      .filter((file) => of.test(file))
      .map((file) => `${place}/${file}`)
  const timesSaid = (name: string, file: string) =>
    text(file).match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0
  const references = all('test/sql', /^reference-.*\.ts$/)
  const computed = references.some((file) => timesSaid(relation, file) > 0) ? [COMPUTED] : []
  const files = ['test/sql', 'test/report', 'test/judge', 'test/page', 'test/explore']
    .flatMap((place) => all(place, /\.test\.ts$/))
    .filter((file) => file !== COMPUTED && filesOfMode.has(file))
  let names = [relation]
  for (let depth = 0; depth < 4; depth++) {
    const said = files
      .map((file) => ({ file, times: names.reduce((sum, name) => sum + timesSaid(name, file), 0) }))
      .filter(({ times }) => times > 0)
      .sort((a, b) => b.times - a.times)
      .map(({ file }) => file)
    if (said.length > 0) return [...computed, ...said].slice(0, Number(values.files))
    const users = all('sql', /\.sql$/).filter((file) => names.some((name) => timesSaid(name, file) > 0))
    names = users.map((file) => basename(file, '.sql').replaceAll('-', '_'))
  }
  return computed
}

const COMPUTED = 'test/sql/metrics.test.ts'
/** A test that takes minutes for each mutation. */
const LONG = 'test/page/contradictions.test.ts'

function vitest(folder: string, args: readonly string[], env: Record<string, string> = {}) {
  const program = join(checkout, 'node_modules/vitest/vitest.mjs')
  const config = ['--config', 'test/vitest.config.ts', '--root', '.']
  return promisify(execFile)(process.execPath, [program, ...args, ...config], {
    cwd: folder,
    env: { ...process.env, ...env },
    maxBuffer: 1e9,
    // A mutation that causes endless recursion counts as detected after this time.
    timeout: 300_000,
  })
}

/** Lists the tests of `npm test` or `npm run test:slow`. Only tests that always run should count. */
async function listed(folder: string): Promise<Set<string>> {
  const { stdout } = await vitest(folder, ['list', '--filesOnly', '--mode', values.mode])
  return new Set(stdout.split('\n').filter((file) => file !== LONG))
}

async function notices(folder: string, file: string, relation: string): Promise<boolean> {
  return vitest(folder, ['run', '--bail', '1', file], { FAULTLINE_RELATION: relation }).then(
    () => false,
    () => true,
  )
}

/** Whether each test file passes without a mutation. A test that always fails must not count as a detection. */
const healthy = new Map<string, boolean>()

async function isHealthy(folder: string, file: string, relation: string): Promise<boolean> {
  const known = healthy.get(file) ?? !(await notices(folder, file, relation))
  healthy.set(file, known)
  return known
}

const folder = mkdtempSync(join(tmpdir(), 'faultline-mutations-'))
let filesOfMode: ReadonlySet<string> = new Set()
try {
  for (const name of ['src', 'test', 'sql', 'reports', 'dist', 'package.json', 'tsconfig.json'])
    cpSync(join(checkout, name), join(folder, name), { recursive: true })
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'))
  filesOfMode = await listed(folder)
  const survivors: string[] = []
  let count = 0
  for (const path of readdirSync(join(folder, 'sql'), { recursive: true, encoding: 'utf8' }).sort()) {
    const name = basename(path, '.sql')
    if (!path.endsWith('.sql') || (positionals.length > 0 && !positionals.includes(name))) continue
    const file = join(folder, 'sql', path)
    const own = readFileSync(file, 'utf8')
    const mutation = mutated(name, own)
    if (mutation === undefined) continue
    count++
    const relation = name.replaceAll('-', '_')
    const tests: string[] = []
    for (const test of testsOf(folder, relation))
      if (await isHealthy(folder, test, relation)) tests.push(test)
    writeFileSync(file, mutation.text)
    let noticed: string | undefined
    for (const test of tests)
      if (noticed === undefined && (await notices(folder, test, relation))) noticed = test
    writeFileSync(file, own)
    const line = JSON.stringify({ relation: name, what: mutation.what, noticed: noticed ?? null, tests })
    console.log(line)
    if (noticed === undefined) survivors.push(line)
  }
  console.log(`${count} mutations, ${survivors.length} that no test noticed`)
  for (const line of survivors) console.log(line)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
