import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/sdk/index.ts'
import { snippets } from './snippets.ts'

/** Runs the programs of the README of the SDK one after another in one folder, as a reader would. */
const folder = new URL('.tmp/readme/', import.meta.url).pathname
const before = process.cwd()
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ incidents: 200 })
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  process.chdir(folder)
  vi.stubEnv('FAULTLINE_BASE_URL', sandbox.baseUrl)
  vi.stubEnv('FAULTLINE_APP_KEY', sandbox.appKey)
})
afterAll(async () => {
  process.chdir(before)
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
  await sandbox.close()
})

/** The last line that each program prints. */
const LAST: readonly RegExp[] = [
  /^\d+ incidents in 30 days$/,
  /^\S+ \d+ \S+/,
  /^401 \w+ \S+$/,
  /^true true$/,
  /^1 0$/,
  /^\d+ true \d+$/,
  /^ok [1-9]\d* true$/,
  /^[1-5]$/,
  /^[1-9]\d*$/,
  /^\d{5,} [1-9]\d*$/,
  /^incidents_a_week \w+ \S/,
  /^20$/,
]

describe('each program in the SDK README', () => {
  test('has an expected output in this test', () => expect(snippets()).toHaveLength(LAST.length))

  test.each(snippets().map((text, index) => [index + 1, text] as const))(
    'prints the expected last line (program %i)',
    async (number, text) => {
      const source = (name: string) =>
        JSON.stringify(new URL(`../../src/${name}/index.ts`, import.meta.url).pathname)
      const file = join(folder, `program-${number}.ts`)
      writeFileSync(
        file,
        text.replace("'faultline/contract'", source('contract')).replace("'faultline'", source('sdk')),
      )
      const lines: string[] = []
      const spies = [
        vi.spyOn(console, 'log').mockImplementation((...words) => void lines.push(words.join(' '))),
        vi.spyOn(process.stderr, 'write').mockImplementation(() => true),
      ]
      try {
        await import(/* @vite-ignore */ file)
      } finally {
        for (const spy of spies) spy.mockRestore()
      }
      expect(lines.at(-1)).toMatch(LAST[number - 1]!)
    },
  )
})

test('the SDK README lists every entry point in package.json', () => {
  const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const page = readFileSync(new URL('../../src/sdk/README.md', import.meta.url), 'utf8')
  const named = [...page.matchAll(/^\| `(faultline[/\w]*)` \|/gm)].map(([, name]) =>
    name!.replace('faultline', '.'),
  )
  expect(named).toEqual(Object.keys(exports).filter((name) => !name.endsWith('.json')))
})
