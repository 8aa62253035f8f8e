import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { ACCOUNT_ID } from '../../src/sandbox/world/company.ts'
import { type Ended, run } from '../support/cli.ts'
import { scriptedServer, text } from '../support/server.ts'
import { preparedWarehouse, scratch } from '../support/warehouse.ts'

const KEY = 'k/secret+ =é'

const folder = scratch()
const warehouse = join(folder, 'warehouse.duckdb')
let sandbox: Sandbox
let environment: Record<string, string>

beforeAll(async () => {
  sandbox = await startSandbox({ incidents: 200, limits: false, now: 1_767_225_600 })
  environment = {
    FAULTLINE_APP_KEY: sandbox.appKey,
    FAULTLINE_BASE_URL: sandbox.baseUrl,
    FAULTLINE_WAREHOUSE: warehouse,
  }
  preparedWarehouse(warehouse, ACCOUNT_ID)
  expect((await run(['sync'], environment, folder)).code).toBe(0)
}, 300_000)

afterAll(async () => {
  await sandbox.close()
})

const digest = () => createHash('sha256').update(readFileSync(warehouse)).digest('hex')

/** Expects one message on standard error, an empty standard output, no stack trace, no key, and an unchanged file. */
async function fails(end: Promise<Ended>, code: number, message: RegExp) {
  const before = digest()
  const { out, err, code: status } = await end
  const told = err.split('\n').filter((line) => !line.startsWith('{"event":"progress"'))
  expect(told.join('\n')).toMatch(message)
  expect(told.filter((line) => line.startsWith('error:'))).toHaveLength(1)
  expect(status).toBe(code)
  expect(out).toBe('')
  expect(err).not.toMatch(/^\s+at /m)
  for (const key of [
    sandbox.appKey,
    KEY,
    encodeURIComponent(KEY),
    new URLSearchParams({ a: KEY }).toString().slice(2),
  ]) {
    expect(err).not.toContain(key)
  }
  expect(digest()).toBe(before)
}

describe('a command', () => {
  test('fails with one error and an unchanged warehouse if the app key is wrong', async () => {
    await fails(
      run(['sync'], { ...environment, FAULTLINE_APP_KEY: KEY }, folder),
      1,
      /Unauthorized|unauthorized/,
    )
  })

  test('fails with one error and an unchanged warehouse if the service is unreachable', async () => {
    const nowhere = { ...environment, FAULTLINE_APP_KEY: KEY, FAULTLINE_BASE_URL: 'http://127.0.0.1:9' }
    await fails(run(['sync'], nowhere, folder), 1, /not reached[\s\S]*baseUrl/)
  }, 300_000)

  test('suggests the closest name for an unknown command or resource', async () => {
    const unknown = await run(['snyc'], environment, folder)
    expect(unknown.code).toBe(2)
    expect(unknown.err).toMatch(/unknown command 'snyc'[\s\S]*Did you mean sync/)
    await fails(
      run(['sync', 'incident'], environment, folder),
      2,
      /Unknown resource "incident"[\s\S]*Did you mean "incidents"/,
    )
  })

  test('rejects a time range that is reversed or in the future', async () => {
    const nothing = /time range is empty[\s\S]*--since/
    const backwards = ['sync', '--since', '2025-12-01', '--until', '2025-11-01']
    await fails(run(backwards, environment, folder), 2, nothing)
    await fails(run(['sync', '--since', '2027-01-01'], environment, folder), 2, nothing)
  })
})

describe('a sync', () => {
  test('removes terminal escape sequences from error messages of the service', async () => {
    const error = { code: 'InvalidParameter', message: '\u001b]0;title\u0007\u001b[2Jno\u009b31m' }
    await using evil = await scriptedServer(text(400, JSON.stringify({ request_id: 'r\u001b[1m', error })))
    const there = { ...environment, FAULTLINE_BASE_URL: evil.baseUrl }
    for (const command of [['sync'], ['call', 'member/list', '{}']]) {
      const { err } = await run(command, there, folder)
      expect(err).toContain('InvalidParameter: no')
      expect(err).not.toMatch(/[\u001b\u009b\u0007]/)
    }
  })
})
