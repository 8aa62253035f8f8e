import type { Sandbox, SandboxOptions } from '../sandbox/index.ts'

/** Starts the sandbox, a local imitation of the service. @throws ConfigError if its data or state is invalid */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await import('../sandbox/index.ts')
  return sandbox.createSandbox(options)
}
