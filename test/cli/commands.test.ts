import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Cli, Nothing } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { createProgram } from '../../src/cli/program.ts'
import { listening } from '../support/console.ts'
import { blocks, root } from '../support/markdown.ts'
import { sourceFiles, src } from '../support/sources.ts'

const commandFiles = sourceFiles().filter(({ path }) => /^cli\/.*-command\.ts$/.test(path))

type Options = { plan?: boolean; since?: string }
const whole = async (_: unknown, name: string, { plan, since }: Options) => (plan && name && since ? 1 : 0)
const partial = async (_: unknown, name: string, { plan }: Pick<Options, 'plan'>) => (plan && name ? 1 : 0)
const wrong = async (_: unknown, name: string, { since = 0 }: { plan?: boolean; since?: number }) =>
  since * (name ? 1 : 0)

/** Each `@ts-expect-error` marks a line that must not compile, with the reason. `tsc` also reports a mark without an error. */
function mustNotCompile({ parent, runs, loads }: Cli): void {
  const command = parent.command('a <name>').option('--plan', '').option('--since <date>', '')
  command.action(
    runs(async (_, name, { plan, ...unread }) => {
      // @ts-expect-error `since` is not used
      unread satisfies Nothing
      return plan && name ? 0 : 1
    }),
  )
  command.action(
    // @ts-expect-error unknown option `sinse`
    runs(async (_, name, { plan, sinse, ...unread }) => (plan && name && sinse && unread ? 0 : 1)),
  )
  command.action(
    // @ts-expect-error `since` is a text, or not given
    runs(async (_, name, { plan, since }) => since * (plan && name ? 0 : 1)),
  )
  // @ts-expect-error `since` is missing in the type
  command.action(loads(async () => partial))
  // @ts-expect-error `since` is a text
  command.action(loads(async () => wrong))
  command.action(loads(async () => whole))
  // @ts-expect-error the options are not destructured
  command.action(runs(async (_, name) => (name ? 0 : 1)))
}

function programWith(command: (cli: Cli) => void) {
  const { results, notes, console } = listening({})
  const host = { console, stop: new AbortController().signal, listenForStop() {}, keepSecret() {} }
  return { results, notes, ...createProgram(host, [...commands, command]) }
}

test('the sample command of the type-error tests runs without errors', async () => {
  expect(await programWith(mustNotCompile).run(['a', '--since', '3d', 'b'])).toBe(0)
})

test('every command has a type check that fails if the command ignores one of its options', () => {
  expect(commandFiles.length).toBeGreaterThan(25)
  // The table in report-options.ts names every option of `report`.
  for (const { path, text } of commandFiles.filter((file) => !file.path.endsWith('report-command.ts'))) {
    const count = (what: RegExp) => text.match(what)?.length ?? 0
    expect([path, count(/^ +unread satisfies Nothing$/gm)]).toEqual([path, count(/\bruns\(async \(/g)])
    expect([path, count(/\.action\(/g)]).toEqual([path, count(/\b(runs\(async \(|loads\()/g)])
  }
})

test('starting the program loads no npm package except commander', () => {
  const loaded = new Set<string>()
  const packages = new Set<string>()
  const load = (path: string) => {
    if (loaded.has(path)) return
    loaded.add(path)
    const text = readFileSync(path, 'utf8')
    for (const [, from] of text.matchAll(/^(?:import|export) (?!type\b)[^'"]*?\bfrom '(.+?)'/gm))
      if (from!.startsWith('.')) load(resolve(dirname(path), from!))
      else if (!from!.startsWith('node:')) packages.add(from!)
  }
  load(join(src, 'cli/main.ts'))
  expect([...packages]).toEqual(['commander'])
  for (const { path } of commandFiles) expect([...loaded]).toContain(join(src, path))
  expect(loaded.size - commandFiles.length).toBeLessThan(20)
})

test('the recipe in CONTRIBUTING.md for adding a command produces a working command', async () => {
  const folder = join(import.meta.dirname, '.tmp', 'recipe')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const recipe = blocks('CONTRIBUTING.md', 'ts').find((text) => text.includes('greetCommand'))!
  const write = (name: string, text: string) =>
    writeFileSync(join(folder, name), text.replaceAll("'./command.ts'", `'../../../../src/cli/command.ts'`))
  write('greet-command.ts', recipe)
  write(
    'unread-command.ts',
    recipe.replace('{ loud, ...unread }', '{ ...unread }').replace('loud ?', 'name ?'),
  )
  const options = {
    extends: '../../../tsconfig.json',
    include: ['.'],
    compilerOptions: { rootDir: '../../../..' },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' })
  const errors = stdout.split('\n').filter((line) => /^\S/.test(line))
  expect(errors).toEqual([
    expect.stringMatching(
      /unread-command\.ts.*'\{ loud\?: true.*' does not satisfy the expected type 'Readonly/,
    ),
  ])

  const { greetCommand } = await import(/* @vite-ignore */ join(folder, 'greet-command.ts'))
  const { run, results, notes } = programWith(greetCommand)
  expect(await run(['greet', 'Ada', '--loud'])).toBe(0)
  expect(results).toEqual(['HELLO ADA'])
  expect(await programWith(greetCommand).run(['greet', 'Ada', '--lound'])).toBe(2)
  const help = programWith(greetCommand)
  expect(await help.run(['greet', '--help'])).toBe(0)
  expect(help.results.join('')).toMatch(
    /Usage: faultline greet \[options\] <name>[\s\S]*--loud +in capitals[\s\S]*Example/,
  )
  expect(notes).toEqual([])
})
