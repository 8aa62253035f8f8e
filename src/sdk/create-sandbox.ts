import type { Sandbox, SandboxOptions } from '../sandbox/index.ts'

/** Starts the sandbox. @throws ConfigError if the data or the state is invalid */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await import('../sandbox/index.ts')
  return sandbox.createSandbox(options)
}
