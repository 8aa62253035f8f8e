import { processConsole } from '../../../dist/cli/console.js'
import { createProgram } from '../../../dist/cli/program.js'
import { resetMachineClock, setMachineClock } from '../../support/machine-clock.ts'

/** The end of a command, and its output. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a command line to its end in this process, at a time of the machine's clock (Unix ms). */
export async function runAt(
  time: number,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const secrets: string[] = []
  const said = { out: '', err: '' }
  const into = (name: 'out' | 'err') =>
    ({
      on() {},
      write(text: string) {
        said[name] += text
        return true
      },
    }) as unknown as NodeJS.WritableStream
  const before = { ...process.env }
  Object.assign(process.env, environment)
  setMachineClock(time)
  try {
    const program = createProgram({
      console: processConsole(() => secrets, { stdout: into('out'), stderr: into('err') }),
      stop: new AbortController().signal,
      listenForStop() {},
      keepSecret: (secret) => secrets.push(secret),
    })
    return { code: await program.run(args), ...said }
  } finally {
    resetMachineClock()
    for (const name of Object.keys(environment)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
