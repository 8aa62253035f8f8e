import type { Config } from '../config.ts'
import type { Listed } from '../report/list.ts'
import type { Job } from '../schedule/job.ts'
import { planJobs } from '../schedule/plan-jobs.ts'

/**
 * What `faultline start` does by a configuration, and when.
 * @throws ConfigError for a time that cannot be read, or a report that is not there
 */
export function plannedJobs(config: Config, reports: readonly Listed[]): Job[] {
  const accounts = config.accounts.flatMap(({ name, schedule }) =>
    name === undefined ? [] : [{ name, schedule }],
  )
  return planJobs(config.schedule, { reports, accounts, timezone: config.timezone })
}
