import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { foldersIn } from '../../src/site/current-pages.ts'
import { run } from '../support/cli.ts'
import { hasLake, PASSWORD, postgresOfTests } from '../support/lake.ts'
import { scratch } from '../support/warehouse.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const COUNT = '```sql q\nselect count(*) as n from scoped_incidents\n```\n{{ q.n | number }}\n'

describe.runIf(hasLake)('a report on an earlier snapshot of a lake', () => {
  const postgres = postgresOfTests()

  test('is written to separate pages and does not change the current pages', async () => {
    const folder = scratch()
    const sandbox = await startSandbox({ incidents: 150, limits: false })
    onTestFinished(() => sandbox.close())
    mkdirSync(join(folder, 'own'))
    writeFileSync(join(folder, 'own', 'count.md'), `---\ntitle: Count\nper_team: true\n---\n${COUNT}`)
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({
        ...postgres.config('snapshots'),
        ...{ baseUrl: sandbox.baseUrl, out: './out', reports: './own', reporting: { teams: true } },
        sync: { lookbackDays: 366 },
      }),
    )
    const environment = { FAULTLINE_APP_KEY: sandbox.appKey, FAULTLINE_LAKE_PASSWORD: PASSWORD }
    const faultline = (...args: string[]) => run(args, environment, folder)
    expect((await faultline('sync')).code).toBe(0)
    const snapshot = postgres.ask('snapshots', 'select max(snapshot_id) from ducklake_snapshot')
    sandbox.advance(30 * 86_400)
    expect((await faultline('sync')).code).toBe(0)
    expect((await faultline('report', 'count')).code).toBe(0)
    const page = (...path: string[]) => readFileSync(join(folder, 'out', ...path), 'utf8')
    const team = `teams/${foldersIn(join(folder, 'out', 'teams'))[0]}`
    const current = () =>
      ['', team].flatMap((part) =>
        ['count.html', 'count/q.csv', 'count/summary.json'].map((file) => page(part, file)),
      )
    const before = current()
    expect((await faultline('report', 'count', '--at', snapshot)).code).toBe(0)
    expect(current()).toEqual(before)
    for (const part of ['', team])
      expect(page(part, 'count', `snapshot-${snapshot}`, 'q.csv')).not.toBe(page(part, 'count', 'q.csv'))
  })
})
