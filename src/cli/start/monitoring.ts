import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { redact } from '../../client/redact.ts'
import type { Config } from '../../config/config.ts'
import { type Effects, replaceFile } from '../../effects.ts'
import { ConfigError } from '../../errors.ts'
import { healthOf, readHealth, writeHealth } from '../../schedule/health.ts'
import { diagnose, ended } from '../../schedule/health-problems.ts'
import type { ScheduleOptions } from '../../schedule/run-schedule.ts'
import type { Flags, Texts } from '../command.ts'
import type { Context } from '../context.ts'
import { incidentFigures } from './incident-families.ts'
import { type MetricsInput, metricsText, serveMetrics } from './metrics.ts'

/** Monitoring options of `start` and `lake work`. `metrics` is the port of the metrics server, or its host and port. */
export interface MonitorOptions
  extends Texts<'metrics' | 'metricsFile'>,
    Flags<'metricsIncidents' | 'health' | 'alive' | 'json'> {}

/** The returned `save` writes the health file and the metrics file. @throws ConfigError */
export async function monitored(
  config: Config,
  options: MonitorOptions,
  { effects, secrets, healthFile }: { effects: Effects; secrets: readonly string[]; healthFile: string },
) {
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
  const save: NonNullable<ScheduleOptions['save']> = (state, states) => {
    const health = healthOf(state, { pid: process.pid, startedAt, now: effects.now() }, states)
    try {
      mkdirSync(dirname(healthFile), { recursive: true })
      writeHealth(healthFile, redact(health, secrets))
    } catch (error) {
      log.warn('the health file cannot be written', { error: (error as Error).message })
    }
    if (metricsFile === undefined) return
    metricsText(told)
      .then((text) => replaceFile(metricsFile, text))
      .catch(({ message: error }: Error) => log.warn('the metrics file cannot be written', { error }))
  }
  return { save, close: () => served?.close() }
}

/** @returns the exit status, or undefined if neither --alive nor --health is given */
export function printState(
  { console }: Context,
  healthFile: string,
  { alive, health: isAsked, json }: MonitorOptions,
): number | undefined {
  const now = Date.now()
  const health = readHealth(healthFile)
  if (alive) {
    const end = ended(health, now)
    if (end === null) console.out('alive')
    else console.note(end)
    return end === null ? 0 : 1
  }
  if (!isAsked) return undefined
  const { problems, warnings } = diagnose(health, now)
  if (json) console.out(JSON.stringify({ healthy: problems.length === 0, problems, warnings, health }))
  else {
    for (const line of [...problems, ...warnings]) console.note(line)
    if (problems.length === 0) console.out('healthy')
  }
  return problems.length === 0 ? 0 : 1
}
