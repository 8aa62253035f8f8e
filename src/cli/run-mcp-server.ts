import { appendFileSync } from 'node:fs'
import { type Config, loadConfig } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
import type { ToolContext } from '../mcp/tool.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { parseDuration } from '../settings/duration.ts'
import type { Context } from './context.ts'

interface McpOptions {
  readonly metricsOnly?: boolean | undefined
  readonly timeout?: string | undefined
  readonly audit?: string | undefined
}

/** Serves the tools until the client disconnects. Standard output is reserved for the protocol. */
export async function runMcpServer(context: Context, options: McpOptions): Promise<number> {
  const config = loadConfig(context.overrides)
  const { jsonText } = await import('../mcp/untrusted-text.ts')
  const { serveMcp } = await import('../mcp/serve-mcp.ts')
  await serveMcp({
    ground: { ...(await toolContextOf(config)), warn: context.console.warn },
    isMetricsOnly: options.metricsOnly === true,
    timeoutMs: 1_000 * secondsOf(options.timeout ?? '1m'),
    signal: context.signal,
    audit: auditTo(options.audit, context, jsonText),
  })
  return 0
}

export async function toolContextOf({
  warehouse: location,
  settings,
  reporting,
  timezone,
  reports,
}: Config): Promise<ToolContext> {
  const warehouse = await resolveStorage(location)
  return { warehouse, settings, memoryLimit: reporting.memoryLimit, timezone, reports }
}

function auditTo(file: string | undefined, { console }: Context, jsonText: (value: unknown) => string) {
  return (facts: Readonly<Record<string, unknown>>) => {
    if (file === undefined) console.event('info', 'mcp', facts)
    else appendFileSync(file, `${jsonText({ at: new Date().toISOString(), ...facts })}\n`, { mode: 0o600 })
  }
}

function secondsOf(text: string): number {
  const seconds = parseDuration(text)
  if (seconds !== undefined && seconds > 0 && seconds <= 3_600) return seconds
  throw new ConfigError(`--timeout: invalid duration "${text}" (maximum 1h).`, { next: 'Write 30s or 2m.' })
}
