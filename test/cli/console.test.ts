import { afterEach, expect, test, vi } from 'vitest'
import { processConsole } from '../../src/cli/console.ts'

afterEach(() => void vi.unstubAllEnvs())

test.each([
  [true, {}, true],
  [true, { NO_COLOR: '1' }, false],
  [false, {}, false],
  [false, { FORCE_COLOR: '1' }, true],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
])('a terminal %s, with %o, has color: %s', (isTTY, environment, expected) => {
  for (const name of ['NO_COLOR', 'FORCE_COLOR']) vi.stubEnv(name, undefined)
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const stream = { isTTY, on() {}, write: () => true } as unknown as NodeJS.WriteStream
  expect(processConsole(() => [], { stdout: stream, stderr: stream }).color).toBe(expected)
})
