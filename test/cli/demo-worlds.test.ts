import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { run } from '../support/cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-worlds-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const demo = (world: string) => run(['demo', '--world', world, '--to', world], {}, folder)
/** Spaces that do not break are spaces here. */
const said = (out: string, begin: string) =>
  out.replaceAll(/[\u00a0\u202f]/g, ' ').match(new RegExp(`^${begin}: (.*)$`, 'm'))?.[1] ?? ''
const saidFirst = (out: string) => said(out, 'The review says first')

test('a storm is told as one burst, and nothing is called worse for it', async () => {
  const { code, out } = await demo('storm')
  expect(code).toBe(0)
  expect(saidFirst(out)).toMatch(
    /^\d{3} incidents came on \d+ \w{3}, nearly all from Payments \(production\); \d\d a week is usual\./,
  )
  expect(saidFirst(out)).not.toMatch(/better|worse/)
  expect(existsSync(join(folder, 'storm/storm.json'))).toBe(false)
}, 300_000)

test('silence is told as silence, with what to do', async () => {
  const { code, out } = await demo('silence')
  expect(code).toBe(0)
  expect(saidFirst(out)).toMatch(
    /^No incident has come for (49|5\d) days, since .*Next: check that the integrations still send\.$/,
  )
}, 300_000)

test('a world that there is not is a mistake in the command, before anything is made', async () => {
  const { code, err } = await demo('test-service')
  expect(code).toBe(2)
  expect(err).toMatch(/no world "test-service"[\s\S]*test-services/)
  expect(existsSync(join(folder, 'test-service'))).toBe(false)
})
