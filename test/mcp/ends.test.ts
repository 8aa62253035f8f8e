import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startMcp } from '../support/mcp-client.ts'
import { start } from '../support/process.ts'
import { scratch, warehouseFile } from '../support/warehouse.ts'

const ENDLESS = { sql: 'select sum(hash(range)) from range(1000000000000)' }
/** The server does not report when a statement has started, so wait a fixed time. */
const begun = () => new Promise((resolve) => setTimeout(resolve, 500))
const empty = () => warehouseFile(async () => {})

describe('an endless MCP call', () => {
  test('ends when the client cancels it, and the next call is answered', async () => {
    const client = await startMcp(['--warehouse', await empty(), '--timeout', '1h'])
    const { requestId } = client.begin('sql', ENDLESS)
    await begun()
    client.send({ method: 'notifications/cancelled', params: { requestId, reason: 'enough' } })
    expect((await client.call('sql', { sql: 'select 1 as one' })).json.rows).toEqual([[1]])
    expect(await client.close()).toBe(0)
  })

  test('ends when the client disconnects', async () => {
    const client = await startMcp(['--warehouse', await empty(), '--timeout', '1h'])
    client.begin('sql', ENDLESS)
    await begun()
    expect(await client.close()).toBe(0)
  })

  test('ends when the process receives SIGTERM', async () => {
    const client = await startMcp(['--warehouse', await empty(), '--timeout', '1h'])
    client.begin('sql', ENDLESS)
    await begun()
    client.process.kill('SIGTERM')
    expect(await client.ended).toBe(0)
  })
})

test('the MCP audit log has one line per call, and later servers append to the log', async () => {
  const [warehouse, audit] = [await empty(), join(scratch(), 'audit.jsonl')]
  for (const name of ['one', 'two']) {
    const client = await startMcp(['--warehouse', warehouse, '--audit', audit])
    await client.call('describe', { name })
    await client.close()
    expect(client.written().err).toBe('')
  }
  const lines = readFileSync(audit, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ tool, given }) => [tool, given])).toEqual([
    ['describe', '{"name":"one"}'],
    ['describe', '{"name":"two"}'],
  ])
  expect(lines.every(({ at }) => !Number.isNaN(Date.parse(at)))).toBe(true)
  if (process.platform !== 'win32') expect(statSync(audit).mode & 0o777).toBe(0o600)
})

test('`faultline mcp` reports a missing MCP package, and other commands still work', async () => {
  const hooks = `export const resolve = (name, context, next) => {
    if (name.startsWith('@modelcontextprotocol/')) throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' })
    return next(name, context)
  }`
  const text = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)})`
  const without = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(text)}` }
  const warehouse = await empty()
  const { code, out, err } = await start(['mcp', '--warehouse', warehouse], without).ended
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('The package @modelcontextprotocol/server is missing.')
  expect(err).toContain('npm install @modelcontextprotocol/server')
  expect((await start(['sql', '--warehouse', warehouse, 'select 1'], without).ended).code).toBe(0)
  expect((await start(['verify', 'none.json', '--warehouse', warehouse], without).ended).code).toBe(2)
})

test('an invalid option of `faultline mcp` is reported before the server starts', async () => {
  for (const [args, words] of [
    [['--timeout', 'soon'], 'invalid duration "soon"'],
    [['--config', 'none.json'], 'none.json'],
  ] as const) {
    const { code, out, err } = await start(['mcp', ...args]).ended
    expect([code, out, err.includes(words)]).toEqual([2, '', true])
  }
})
