import { appendFileSync } from 'node:fs'
import { type Config, loadConfig } from '../config/config.ts'
import type { ToolContext } from '../mcp/tool.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import type { Flags, Texts } from './command.ts'
import type { Context } from './context.ts'
import { parseTimeout } from './parse-timeout.ts'

type McpOptions = Texts<'timeout' | 'audit'> & Flags<'metricsOnly'>

export async function runMcpServer(
  context: Context,
  { timeout = '1m', audit, metricsOnly }: McpOptions,
): Promise<number> {
  const config = loadConfig(context.overrides)
  const { jsonText } = await import('../mcp/untrusted-text.ts')
  const { serveMcp } = await import('../mcp/serve-mcp.ts')
  await serveMcp({
    ground: { ...(await toolContextOf(config)), warn: context.console.warn },
    isMetricsOnly: metricsOnly === true,
    timeoutMs: 1_000 * parseTimeout(timeout, 1, 'Write 30s or 2m.'),
    signal: context.signal,
    // Standard output is reserved for the protocol, so `event` prints to standard error.
    audit(facts) {
      if (audit === undefined) return context.console.event('info', 'mcp', facts)
      const line = jsonText({ at: new Date().toISOString(), ...facts })
      appendFileSync(audit, `${line}\n`, { mode: 0o600 })
    },
  })
  return 0
}

export async function toolContextOf(config: Config): Promise<ToolContext> {
  const { settings, reporting, timezone, reports } = config
  const warehouse = await resolveStorage(config.warehouse)
  return { warehouse, settings, memoryLimit: reporting.memoryLimit, timezone, reports }
}
