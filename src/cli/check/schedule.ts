import type { Config } from '../../config.ts'
import { nextRun } from '../../schedule/next-run.ts'
import type { Context } from '../context.ts'
import { readTargets } from '../deliver.ts'
import { plannedJobs } from '../planned-jobs.ts'
import { allReports } from '../report-files.ts'
import { failed } from './failed.ts'
import { type Finding, ok } from './finding.ts'

/** Whether the times of `faultline start` can be read, and when it would sync next after `now` (Unix ms). */
export function checkSchedule(config: Config, now: number): Finding {
  try {
    const jobs = plannedJobs(config, allReports(config.reports))
    const syncs = jobs.filter(({ kind }) => kind === 'sync')
    const next = syncs.map(({ name, cron, timezone }) => {
      const at = nextRun(cron, timezone, now)
      return `${name} next at ${at === null ? 'no time' : new Date(at).toISOString().slice(0, 16)}Z`
    })
    return ok('schedule', [...next, `${jobs.length - syncs.length} reports`].join(', '))
  } catch (error) {
    return failed('schedule', error)
  }
}

/** Whether reports can be delivered as far as this side is concerned; nothing is sent. */
export function checkDelivery(context: Context, config: Config): Finding {
  try {
    const { folder, mail, webhook } = readTargets(context, config)
    const ways = [
      ...(folder ? [`the folder ${config.out}`] : []),
      ...(mail ? [`mail by ${mail.host}:${mail.port}`] : []),
      ...(webhook ? ['the webhook'] : []),
    ]
    return ok('delivery', ways.length === 0 ? 'reports go nowhere' : `to ${ways.join(', ')}`)
  } catch (error) {
    return failed('delivery', error)
  }
}
