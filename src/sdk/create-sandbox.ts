import type { Sandbox, SandboxOptions } from '../sandbox/index.ts'

/**
 * Starts the sandbox.
 * @throws ConfigError when the data or the state cannot be used
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await import('../sandbox/index.ts')
  return sandbox.createSandbox(options)
}
