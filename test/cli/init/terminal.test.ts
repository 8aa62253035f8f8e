import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts'

const KEY = 'k9secret7f8a2c6e4b1d4a7f9e3c5b7d'
const MAIN = fileURLToPath(new URL('../../../dist/bin/faultline.js', import.meta.url))
const isThere = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ incidents: 10, appKey: KEY })
})
afterAll(() => sandbox.close())

/** Runs `init` on a terminal of `script` (util-linux), and pastes the key before each answer except the first. */
async function answer(folder: string, answers: readonly (readonly [question: string, answer: string])[]) {
  const line = `stty cols 100 rows 40; ${process.execPath} ${MAIN} init`
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'xterm', TZ: 'UTC' },
  })
  onTestFinished(() => void child.kill())
  let screen = ''
  child.stdout.on('data', (chunk) => {
    screen += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  for (const [question, text] of answers) {
    await expect.poll(() => screen, { timeout: 20_000 }).toContain(question)
    if (question !== 'App key') {
      child.stdin.write(KEY)
      await expect.poll(() => screen.slice(screen.lastIndexOf(question))).toContain('\u0007')
    }
    child.stdin.write(`${text}\r`)
  }
  expect(await ended, screen).toBe(0)
  return screen
}

test.skipIf(!isThere)(
  '`faultline init` writes an app key pasted at any prompt only to the key file',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-init-'))
    try {
      execFileSync('git', ['init', '-q', folder])
      const screen = await answer(folder, [
        ['App key', KEY],
        ['File for the app key', ''],
        ['Address of the service', sandbox.baseUrl],
        ['Warehouse file', ''],
        ['Time zone', 'Tokyo'],
        ['Oldest incidents', '90d'],
        ['Objective', '92.5%'],
      ])
      expect(screen).toContain('The service responds and accepts the key.')
      expect(screen).not.toContain(KEY.slice(0, 8))
      const files = readdirSync(folder).filter((name) => name !== '.git')
      expect(files.sort()).toEqual(['.gitignore', 'app-key', 'config.json', 'config.schema.json'])
      const holding = files.filter((name) => readFileSync(join(folder, name), 'utf8').includes(KEY))
      expect(holding).toEqual(['app-key'])
      expect(statSync(join(folder, 'app-key')).mode & 0o777).toBe(0o600)
      expect(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'))).toMatchObject({
        appKeyFile: './app-key',
        timezone: 'Asia/Tokyo',
        sync: { since: '90d' },
        reporting: { targets: { Critical: { ackGoal: 0.925 }, Warning: { ackGoal: 0.925 } } },
      })
      const seen = execFileSync('git', ['-C', folder, 'status', '--porcelain'], { encoding: 'utf8' })
      expect(seen).toBe('?? .gitignore\n')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test.skipIf(!isThere)(
  '`faultline init` repeats only the address prompt after an unreachable address',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-init-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const screen = await answer(folder, [
      ['App key', KEY],
      ['File for the app key', ''],
      ['Address of the service', 'http://127.0.0.1:9'],
      ['Use this address and key anyway?', ''],
      ['mttp://127.0.0.1:9', sandbox.baseUrl],
      ['Warehouse file', ''],
      ['Time zone', 'Tokyo'],
      ['Oldest incidents', '90d'],
      ['Objective', ''],
    ])
    expect(screen).toContain(`Service ${sandbox.baseUrl}, reports in Asia/Tokyo, incidents since 90d`)
  },
)
