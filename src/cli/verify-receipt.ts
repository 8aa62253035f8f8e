import { readFileSync } from 'node:fs'
import { loadConfig } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
import { reasonOf } from '../external-errors.ts'
import { cleanForTerminal } from '../render/sanitize-text.ts'
import type { Context } from './context.ts'
import { toolContextOf } from './run-mcp-server.ts'

/** Prints the differences between a receipt and the warehouse. @returns exit status 3 if there are any */
export async function verifyReceipt(
  { console, overrides, signal }: Context,
  file: string | undefined,
): Promise<number> {
  const config = loadConfig(overrides)
  const timeoutMs = 1_000 * config.reporting.timeout
  const { verify } = await import('../mcp/verify.ts')
  const { keptReader } = await import('../mcp/tool.ts')
  const ground = await toolContextOf(config)
  const readers = keptReader(ground)
  const call = { ground, readers, signal, timeoutMs }
  const { holds, lines } = await verify(textOf(file), call).finally(readers.close)
  for (const line of lines) console.out(cleanForTerminal(line))
  return holds ? 0 : 3
}

function textOf(file = '-'): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    throw new ConfigError(`Cannot read the receipt: ${reasonOf(cause)}`, {
      cause,
      next: 'Pass a file, or write it to standard input: faultline verify < receipt.json',
    })
  }
}
