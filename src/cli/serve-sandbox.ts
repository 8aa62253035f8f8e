import { once } from 'node:events'
import { stringifyJson } from '../contract/json.ts'
import { openApiDocument } from '../contract/openapi.ts'
import { ConfigError } from '../errors.ts'
import type { SandboxOptions } from '../sandbox/sandbox-options.ts'
import type { Context } from './context.ts'

/** @param isForShell prints the address and the key as shell commands instead of JSON */
export async function serveSandbox(
  { console, signal }: Context,
  isForShell: boolean,
  options: SandboxOptions,
): Promise<number> {
  const { startSandbox } = await import('../sandbox/start-sandbox.ts')
  const sandbox = await startSandbox({ ...options, warn: (message) => console.note(message) })
  // The sandbox generates the key, so users find it only in this output.
  const { baseUrl, appKey } = sandbox
  console.out(
    isForShell
      ? `export FAULTLINE_BASE_URL=${baseUrl}\nexport FAULTLINE_APP_KEY=${appKey}`
      : JSON.stringify({ base_url: baseUrl, app_key: appKey, now: sandbox.now() }),
  )
  if (!signal.aborted) await once(signal, 'abort')
  await sandbox.close()
  return 0
}

/** Prints the OpenAPI document of a sandbox on this port. @returns the exit status */
export function printOpenApi({ console }: Context, port: number): number {
  console.out(stringifyJson(openApiDocument(`http://127.0.0.1:${port}`), 2))
  return 0
}

/** Parses the kind of rate limiter. @throws ConfigError if it is unknown */
export function limiterOf(text: string): 'sliding' | 'fixed' {
  if (text === 'sliding' || text === 'fixed') return text
  throw new ConfigError(`--limiter: unknown kind "${text}". Available: sliding, fixed.`)
}

/** Parses faults with their probabilities, such as `status_500=0.1,reset=0.05`. @throws ConfigError */
export function faultsOf(spec: string): Record<string, number> {
  const pairs = spec.split(',').map((part) => part.split('='))
  for (const [name, value] of pairs) {
    if (!name || !value?.trim() || Number.isNaN(Number(value))) {
      throw new ConfigError(`--faults: invalid list "${spec}". Example: status_500=0.1,reset=0.05.`)
    }
  }
  return Object.fromEntries(pairs.map(([name, value]) => [name!, Number(value)]))
}
