import { vi } from 'vitest'
import { serve } from '../../src/cli/serve/serve.ts'
import { listening } from './console.ts'

/** Starts `faultline serve` on a free port. `stop` returns its exit status. */
export async function startServe(out: string): Promise<{ address: string; stop(): Promise<number> }> {
  const stopping = new AbortController()
  const context = { ...listening({}), signal: stopping.signal }
  const ended = serve(context, { from: out, port: '0' })
  const address = await vi.waitUntil(() => context.results[0], { timeout: 30_000 })
  return {
    address,
    stop() {
      stopping.abort(new Error('stopped'))
      return ended
    },
  }
}
