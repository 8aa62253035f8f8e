import { EventEmitter } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { processConsole } from '../../src/cli/console.ts'

afterEach(() => void vi.unstubAllEnvs())

test.each([
  [true, {}, true],
  [true, { NO_COLOR: '1' }, false],
  [false, {}, false],
  [false, { FORCE_COLOR: '1' }, true],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
])('terminal output (isTTY %s, environment %o) is colored: %s', (isTTY, environment, expected) => {
  for (const name of ['NO_COLOR', 'FORCE_COLOR']) vi.stubEnv(name, undefined)
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const stream = { isTTY, on() {}, write: () => true } as unknown as NodeJS.WriteStream
  expect(processConsole(() => [], { stdout: stream, stderr: stream }).color).toBe(expected)
})

test('a terminal that reports 0 columns has an unknown width', () => {
  const stream = { isTTY: true, columns: 0, on() {}, write: () => true } as unknown as NodeJS.WriteStream
  const { width, screenWidth } = processConsole(() => [], { stdout: stream, stderr: stream })
  expect([width, screenWidth]).toEqual([100, undefined])
})

test('a closed output pipe ends the program only while a result is streamed', async () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  const stdout = Object.assign(new EventEmitter(), { write: () => true }) as unknown as NodeJS.WriteStream
  const console = processConsole(() => [], { stdout, stderr: stdout })
  const closePipe = () => stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  console.out('ok')
  closePipe()
  expect(exit).not.toHaveBeenCalled()
  await console.write('a row')
  closePipe()
  expect(exit).toHaveBeenCalledWith(0)
  exit.mockRestore()
})
