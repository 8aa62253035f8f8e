import { createServer } from 'node:net'
import { expect } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../src/client/client.ts'
import { type Effects, realEffects } from '../../src/effects.ts'
import { type Step, scriptedServer } from '../support/server.ts'

export const LIST = { start_time: 1, end_time: 2 }

/** Real effects, except that waits are recorded and skipped. */
export function hurried(): Effects & { waits: number[]; warnings: unknown[] } {
  const waits: number[] = []
  const warnings: unknown[] = []
  const log = {
    debug() {},
    info() {},
    warn: (message: string, facts?: object) => warnings.push([message, facts]),
  }
  let skipped = 0
  return {
    ...realEffects({ ...log, warn: (message, facts) => void log.warn(message, facts) }),
    waits,
    warnings,
    now: () => Date.now() + skipped,
    elapsed: () => performance.now() + skipped,
    sleep: async (ms) => {
      waits.push(ms)
      skipped += ms
    },
  }
}

/** Serves the steps to a client while `act` runs, and closes both afterwards. */
export async function withService<T>(
  steps: Step[],
  act: (client: Client, server: Awaited<ReturnType<typeof scriptedServer>>) => Promise<T>,
  options: Partial<ClientOptions> = {},
): Promise<T> {
  await using server = await scriptedServer(...steps)
  const client = createClient({
    baseUrl: server.baseUrl,
    appKey: 'the-key',
    effects: hurried(),
    timeoutMs: 2_000,
    ...options,
  })
  try {
    return await act(client, server)
  } finally {
    await client.close()
  }
}

export const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error) => error,
  )

export async function until(condition: () => boolean) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** An address on which nothing listens. */
export async function deadAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
