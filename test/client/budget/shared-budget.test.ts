import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runs } from '../../../src/client/budget/runs.ts'
import { accountName, createSharedBudget, machineClock } from '../../../src/client/budget/shared-budget.ts'

const KEY = 'key-that-must-not-be-written'
const URL_OF = 'https://service.example'

describe('budgets in one folder', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'faultline-budget-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function open(appKey = KEY, baseUrl = URL_OF) {
    const warnings: string[] = []
    const budget = createSharedBudget(
      { baseUrl, appKey, limits: [{ requests: 1, windowMs: 60_000 }], share: 1, longestMs: 60_000 },
      { folder, warn: (message) => void warnings.push(message) },
    )
    return { budget, warnings }
  }

  it('are one for the same service and key, and do not touch each other otherwise', () => {
    const first = open()
    expect(first.budget.waitMs()).toBeLessThanOrEqual(0)
    first.budget.end(first.budget.start(), 0)
    expect(open(KEY, 'https://SERVICE.example:443/').budget.waitMs()).toBeGreaterThan(59_000)
    expect(open('another').budget.waitMs()).toBeLessThanOrEqual(0)
    expect(open(KEY, `${URL_OF}/staging`).budget.waitMs()).toBeLessThanOrEqual(0)
    expect(first.warnings).toEqual([])
  })

  it('open their file when they are made, and write the key nowhere', () => {
    open()
    const files = readdirSync(folder)
    expect(files).toHaveLength(1)
    const written = files.map((file) => file + readFileSync(join(folder, file), 'utf8')).join()
    expect(written).not.toContain(KEY)
    expect(files[0]).toContain(accountName(URL_OF, KEY))
  })
})

it('the clock of the machine is the same in every process', async () => {
  const child = spawn(process.execPath, ['-p', 'Number(process.hrtime.bigint()) / 1e6'])
  const before = machineClock()
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  await once(child, 'close')
  expect(Number(out)).toBeGreaterThan(before)
  expect(Number(out)).toBeLessThan(machineClock())
})

it('a process runs until it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
  await once(child, 'spawn')
  expect(runs(process.pid)).toBe(true)
  expect(runs(child.pid!)).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(runs(child.pid!)).toBe(false)
})
