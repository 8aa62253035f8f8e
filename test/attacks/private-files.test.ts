import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { run, start } from '../support/cli.ts'
import { preparedWarehouse, scratch } from '../support/warehouse.ts'

/** Paths that other users may read: report pages, their tables and the configuration. */
const FOR_READERS = /^out(\/|$)|^(config|copied)\.json$/

const NOW = 1_767_225_600
let folder: string
let warehouse: string
let mask: number
let [emea, apac]: Sandbox[] = []
const environment = () => ({ KEY_OF_EMEA: emea!.appKey, KEY_OF_APAC: apac!.appKey })

/** Files that other users can read, but should not. A folder of mode 700 hides the files in it. */
function openFiles(place = folder): string[] {
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const path = join(place, entry.name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined || (stat.mode & 0o077) === 0 || FOR_READERS.test(relative(folder, path))) return []
    if (entry.isDirectory()) return openFiles(path)
    return [`${relative(folder, path)} ${(stat.mode & 0o777).toString(8)}`]
  })
}

function configure(privacy?: object) {
  const accounts = [
    { name: 'EMEA', baseUrl: emea!.baseUrl, appKeyEnv: 'KEY_OF_EMEA' },
    { name: 'APAC', baseUrl: apac!.baseUrl, appKeyEnv: 'KEY_OF_APAC' },
  ]
  const sync = { since: '2025-12-01' }
  const resources = ['incidents', 'teams', 'members']
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ accounts, sync, resources, ...(privacy && { privacy }) }),
  )
}

describe.skipIf(process.platform === 'win32')(
  'other users can read only report pages and their tables',
  () => {
    beforeAll(async () => {
      folder = scratch()
      warehouse = join(folder, 'faultline.duckdb')
      const options = { now: NOW, incidents: 20, limits: false }
      emea = await startSandbox({ ...options, accountId: 11 })
      apac = await startSandbox({ ...options, accountId: 12, appKey: 'the-key-of-apac' })
      preparedWarehouse(warehouse, 11, 12)
      // The umask 0 makes no file private by default.
      mask = process.umask(0)
      configure()
      writeFileSync(join(folder, 'copied.json'), JSON.stringify({ warehouse: './copied.duckdb' }))
    })
    afterAll(async () => {
      process.umask(mask)
      await Promise.all([emea!.close(), apac!.close()])
    })

    const drop = { drop: ['members.phone'] }
    const rewritten = () => statSync(warehouse).ino

    test('after each command that writes files', async () => {
      const commands: readonly (readonly [words: readonly string[], privacy?: object])[] = [
        [['sync']],
        [['sync'], drop],
        [['report', 'mtta-mttr', '--format', 'html,csv'], drop],
        [['export', '--to', 'export'], drop],
        [['sql', '--to', 'rows.csv', 'from members'], drop],
        [['quarantine', '--replay'], drop],
        [['copy', '--to', 'copied.json'], drop],
        [['check', '--deep'], drop],
        [['restore'], drop],
        [['account', 'remove', 'APAC', '--yes'], drop],
      ]
      for (const [words, privacy] of commands) {
        configure(privacy)
        const { code, err } = await run(words, environment(), folder)
        // Status 3 means that a gate of the report failed.
        expect([words, code === 3 ? 0 : code, err]).toEqual([words, 0, err])
        expect([words, openFiles()]).toEqual([words, []])
      }
    }, 300_000)

    test.each([
      ['sync', { drop: ['members.email'] }],
      ['account remove APAC --yes', { drop: ['members.email'] }],
    ] as const)(
      'after `faultline %s` is killed right after it replaced the published copy',
      async (command, privacy) => {
        configure()
        expect((await run(['sync'], environment(), folder)).code).toBe(0)
        configure(privacy)
        const before = rewritten()
        const running = start(command.split(' '), environment(), folder)
        let isOver = false
        void running.ended.then(() => {
          isOver = true
        })
        while (!isOver && rewritten() === before) await new Promise((next) => setImmediate(next))
        running.process.kill('SIGKILL')
        await running.ended
        expect(rewritten()).not.toBe(before)
        expect(openFiles()).toEqual([])
      },
    )
  },
)
