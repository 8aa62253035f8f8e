import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { run } from '../support/cli.ts'
import { scratch } from '../support/warehouse.ts'

const MAIN = fileURLToPath(new URL('../../dist/bin/faultline.js', import.meta.url))

describe('every command', async () => {
  const { out } = await run(['--help'])
  const listed = out.slice(out.indexOf('Everyday commands:'))
  const commands = [...listed.matchAll(/^ {2}([a-z]+)/gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'help')

  test('belongs to one of four groups in the help', () => {
    expect(listed.match(/^\S.*:$/gm)).toEqual([
      'Everyday commands:',
      'Commands for analysis:',
      'Commands for operating:',
      'Commands for a lake:',
    ])
  })

  test('is a subcommand of `faultline lake` if it works only on a lake', async () => {
    for (const name of ['work', 'maintain']) {
      expect((await run(['lake', name, '--help'])).out).toContain(`Usage: faultline lake ${name}`)
      expect((await run([name])).code).toBe(2)
    }
  })

  test.each(commands)('has an example in its help: %s', async (name) => {
    const help = await run([name, '--help'])
    expect(help.code).toBe(0)
    expect(help.out).toMatch(/Examples?:\n {2}faultline /)
  })
})

const folder = scratch()
let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ incidents: 200, limits: false, now: 1_795_262_400 })
})
afterAll(async () => {
  await sandbox.close()
})

/** Runs a command with `input` as its standard input. */
function fed(args: readonly string[], input: string): Promise<{ code: number | null; told: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: { PATH: process.env.PATH } })
  let told = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (told += chunk))
  child.stdin.end(input)
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, told })))
}

describe('a new installation', () => {
  test('stores the app key from standard input in a private file', async () => {
    const flags = [
      '--base-url',
      sandbox.baseUrl,
      '--app-key-file',
      'app-key',
      '--read-key',
      '--since',
      '200d',
    ]
    const { code, told } = await fed(['init', ...flags, '--yes'], `${sandbox.appKey}\n`)
    expect(told).toContain('Wrote config.json')
    expect(code).toBe(0)
    expect(told).not.toContain(sandbox.appKey)
    expect(readFileSync(join(folder, 'app-key'), 'utf8').trim()).toBe(sandbox.appKey)
    if (process.platform !== 'win32') expect(statSync(join(folder, 'app-key')).mode & 0o777).toBe(0o600)
    const again = await fed(['init', ...flags, '--yes'], 'another-key\n')
    expect(again).toMatchObject({ code: 2 })
    expect(again.told).toContain('--force')
    expect(readFileSync(join(folder, 'app-key'), 'utf8').trim()).toBe(sandbox.appKey)
  })

  test('runs `check`, `sync`, `quarantine` and `export` without prompts', async () => {
    const before = await run(['check'], {}, folder)
    expect(before.out).toMatch(/does not exist yet/)
    expect(before.out).toMatch(/^warn {2}clock/m)
    expect(before.code).toBe(0)
    expect((await run(['sync'], {}, folder)).code).toBe(0)
    const after = await run(['check', '--json'], {}, folder)
    expect(JSON.parse(after.out).findings.filter((one: { level: string }) => one.level === 'fail')).toEqual(
      [],
    )
    expect(after.code).toBe(0)
    expect((await run(['quarantine'], {}, folder)).out).toMatch(/No quarantined records/)
    const exported = await run(['export', 'incidents', '--format', 'parquet,csv'], {}, folder)
    expect(exported.code).toBe(0)
    expect(readdirSync(join(folder, 'out/export')).sort()).toEqual([
      'datapackage.json',
      'incidents',
      'incidents.csv',
      'manifest.json',
    ])
    for (const { out, err } of [before, after, exported]) expect(out + err).not.toContain(sandbox.appKey)
  }, 300_000)
})

describe('on an existing warehouse', () => {
  test('`faultline sync` reports a wrong path in the service address', async () => {
    const { code, err } = await run(['sync'], { FAULTLINE_BASE_URL: `${sandbox.baseUrl}/v1` }, folder)
    expect([code, err]).toEqual([1, expect.stringContaining('Check the path in `baseUrl`')])
  })

  test('`faultline report` reports an unknown team once, not once per report', async () => {
    const { code, err } = await run(['report', '--team', 'Nobody'], {}, folder)
    expect(code).toBe(2)
    expect(err.match(/No incident belongs to the team "Nobody"/g)).toHaveLength(1)
    expect(err).toMatch(/^error: No incident/)
    const path = await run(['report', 'check', 'my-reports/mtta-mttr.md'], {}, folder)
    expect([path.code, path.err]).toEqual([2, expect.stringMatching(/mean "mtta-mttr"\? .*without folder/)])
  })

  test('`faultline report new` suggests a hyphenated name if the given name has two words', async () => {
    const { code, err } = await run(['report', 'new', 'my', 'team'], {}, folder)
    expect([code, err]).toEqual([2, expect.stringContaining('report new my-team')])
  })

  test('`faultline report --json` prints the results and writes only requested formats', async () => {
    const pages = join(folder, 'json')
    const report = (...args: string[]) => run(['report', ...args, '--to', pages, '--json'], {}, folder)
    const one = await report('mtta-mttr')
    expect(JSON.parse(one.out)).toMatchObject({ name: 'mtta-mttr', results: expect.any(Object) })
    expect(existsSync(pages)).toBe(false)
    const two = await report('mtta-mttr', 'severity-trend', '--format', 'html')
    expect(JSON.parse(two.out).map(({ name }: { name: string }) => name)).toEqual([
      'mtta-mttr',
      'severity-trend',
    ])
    expect(two.err).toContain('mtta-mttr.html')
    expect(existsSync(join(pages, 'mtta-mttr.html'))).toBe(true)
  })

  test('privacy rules in the configuration apply to every command that stores data', async () => {
    const config = join(folder, 'config.json')
    const written = JSON.parse(readFileSync(config, 'utf8'))
    const told = async (privacy: object, args: string[]) => {
      writeFileSync(config, JSON.stringify({ ...written, privacy }))
      return run(args, {}, folder)
    }
    const plain = await run(
      ['sql', '--json', 'select count(phone) as n, count(email) as m from members'],
      {},
      folder,
    )
    expect(JSON.parse(plain.out)[0].n).toBeGreaterThan(0)
    const rules = { drop: ['members.phone'], hash: ['members.email'] }
    for (const args of [['sync'], ['sync', '--plan'], ['check'], ['quarantine', '--replay']]) {
      const saltless = await told(rules, args)
      expect(saltless.code).toBe(2)
      expect(saltless.out + saltless.err).toContain('FAULTLINE_PRIVACY_SALT')
    }
    const wrong = await told({ drop: ['members.phon'] }, ['sync'])
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "phone"?') })
    writeFileSync(join(folder, 'salt'), 'a-salt-of-sixteen-or-more')
    expect((await told({ ...rules, saltFile: './salt' }, ['sync'])).code).toBe(0)
    const held = await run(
      ['sql', '--json', "select count(phone) as n, bool_and(email like 'hmac:%') as hashed from members"],
      {},
      folder,
    )
    expect(JSON.parse(held.out)).toEqual([{ n: 0, hashed: true }])
    expect((await run(['quarantine', '--replay'], {}, folder)).code).toBe(0)
    writeFileSync(config, JSON.stringify(written))
  }, 300_000)

  test('`faultline check` exits with status 2 if the configuration is missing', async () => {
    const wrong = await run(['check', '--config', 'none.json'], {}, folder)
    expect(wrong.code).toBe(2)
    expect(wrong.out).toMatch(/^FAIL {2}config/m)
    expect((await run(['export', '--format', 'xml'], {}, folder)).code).toBe(2)
  })
})
