import type { Config } from '../config.ts'
import { diagnose } from '../schedule/diagnose.ts'
import { type Health, readHealth } from '../schedule/health.ts'

/** The nightly process as `status` shows it. */
export interface ScheduleState {
  readonly state: Health['state']
  /** When each job comes next, ISO. */
  readonly next: Readonly<Record<string, string | null>>
  /** What is wrong with it. A process that was stopped is not: nights may be run in another way. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** The file beside the warehouse, unless another was named. */
export function healthFileOf(config: Config): string {
  return config.schedule.healthFile ?? `${config.warehouse}.health.json`
}

/** What `faultline start` says of itself; null where it was never started. */
export function scheduleState(config: Config, now: number): ScheduleState | null {
  const health = readHealth(healthFileOf(config))
  if (!health) return null
  const { problems, warnings } = diagnose(health, now)
  const next = Object.entries(health.jobs).map(([name, job]) => [name, job.nextRunAt])
  return {
    state: health.state,
    next: Object.fromEntries(next),
    problems: health.state === 'stopped' ? [] : problems,
    warnings,
  }
}

/** The same for people, as lines. */
export function scheduleText({ state, next, problems, warnings }: ScheduleState): string[] {
  if (state === 'stopped') return ['Schedule: stopped.']
  const times = Object.entries(next).flatMap(([name, at]) =>
    at === null ? [] : [`${name} ${at.slice(0, 16).replace('T', ' ')}Z`],
  )
  return [`Schedule: ${state}; next ${times.join(', ')}`, ...problems, ...warnings]
}
