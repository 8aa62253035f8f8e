import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { redact } from '../../client/redact.ts'
import type { Config } from '../../config/config.ts'
import type { Effects } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'
import { healthOf, readHealth, writeHealth } from '../../schedule/health.ts'
import { diagnose, ended } from '../../schedule/health-problems.ts'
import type { ScheduleOptions } from '../../schedule/run-schedule.ts'
import type { Context } from '../context.ts'
import { incidentFigures } from './incident-families.ts'
import { type MetricsInput, serveMetrics, writeMetricsFile } from './metrics.ts'

/** Monitoring options of `start` and `lake work`. */
export interface MonitorOptions {
  /** Port, or host and port, of the metrics server. */
  readonly metrics?: string | undefined
  readonly metricsFile?: string | undefined
  readonly metricsIncidents?: boolean | undefined
}

interface Monitored {
  readonly save: NonNullable<ScheduleOptions['save']>
  close(): void
}

/** Publishes the state of a schedule through its health file, a metrics server and a metrics file. @throws ConfigError */
export async function monitored(
  config: Config,
  options: MonitorOptions,
  { effects, secrets, healthFile }: { effects: Effects; secrets: readonly string[]; healthFile: string },
): Promise<Monitored> {
  const { metrics, metricsFile, metricsIncidents = false } = options
  if (metricsIncidents && metrics === undefined && metricsFile === undefined)
    throw new ConfigError('--metrics-incidents requires --metrics or --metrics-file.', {
      next: 'Add --metrics 9464, or --metrics-file FILE.',
    })
  const { log } = effects
  const figures = metricsIncidents ? incidentFigures(config, log) : undefined
  const told: MetricsInput = { config, healthFile, figures }
  const served = metrics === undefined ? undefined : await serveMetrics(metrics, told, effects)
  if (served) log.info('metrics are served', { url: served.url })
  const startedAt = effects.now()
  return {
    save(state, states) {
      const health = healthOf(state, { pid: process.pid, startedAt, now: effects.now() }, states)
      try {
        mkdirSync(dirname(healthFile), { recursive: true })
        writeHealth(healthFile, redact(health, secrets))
      } catch (error) {
        log.warn('the health file cannot be written', { error: (error as Error).message })
      }
      if (metricsFile === undefined) return
      writeMetricsFile(metricsFile, told).catch((error: Error) =>
        log.warn('the metrics file cannot be written', { error: error.message }),
      )
    },
    close: () => served?.close(),
  }
}

/** Prints whether a scheduler is running. @returns the exit status */
export function printAlive({ console }: Context, healthFile: string): number {
  const end = ended(readHealth(healthFile), Date.now())
  if (end === null) console.out('alive')
  else console.note(end)
  return end === null ? 0 : 1
}

/** Prints the health of a scheduler and its syncs. @returns the exit status */
export function printHealth({ console }: Context, healthFile: string, isJson: boolean): number {
  const health = readHealth(healthFile)
  const { problems, warnings } = diagnose(health, Date.now())
  if (isJson) console.out(JSON.stringify({ healthy: problems.length === 0, problems, warnings, health }))
  else {
    for (const line of [...problems, ...warnings]) console.note(line)
    if (problems.length === 0) console.out('healthy')
  }
  return problems.length === 0 ? 0 : 1
}
