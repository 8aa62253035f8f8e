import type { Judge, Seen } from '../judge.ts'

/**
 * A published run has read everything from the configured start up to its time. A successful run leaves no window open
 * or unverified.
 */
export function ledger(): Judge {
  return {
    name: 'ledger',
    promise: 'bookmarks cover what they say, and a green run has proof',
    async look({ history, rows }) {
      const shown = history.findLast(({ published }) => published)
      if (shown === undefined) return []
      const isGreen = shown.status === 'ok'
      const [run] = await rows(
        `select run_id, status, epoch(as_of_at)::bigint as as_of from sync_runs order by run_id desc limit 1`,
      )
      if (run === undefined) return ['there is no run']
      // A run that continues interrupted runs of the same night may keep the time of an earlier one.
      const starts = history.filter(({ night }) => night === shown.night).map(({ now }) => BigInt(now))
      const gaps = await rows(gapsSql(shown.since, Number(run.as_of), isGreen))
      return [
        ...(!isGreen || run.status === 'ok' ? [] : [`the run that ended ok is noted as ${run.status}`]),
        ...(starts.includes(run.as_of as bigint)
          ? []
          : [`it says that all was read up to ${run.as_of}, and began at ${shown.now}`]),
        ...(isGreen ? await doubts(rows, run.run_id) : []),
        ...gaps.map(({ gap_from, gap_to }) => `never read: ${gap_from} to ${gap_to}`),
      ]
    },
  }
}

/** Returns faults that a successful run must not have: unverified windows, and records that are new in quarantine. */
async function doubts(rows: Seen['rows'], runId: unknown): Promise<string[]> {
  const doubtful = await rows(
    `select resource, state, count(*)::int as n from sync_windows
     where run_id = ${runId} and state not in ('done', 'accepted') group by all`,
  )
  const waiting = await rows(
    // Selects by run and not by time, because the clock of the machine may have been changed.
    `select resource, record_key, reason from quarantine
     where run_id = ${runId} and times_seen = 1`,
  )
  return [
    ...doubtful.map(({ resource, state, n }) => `${n} windows of ${resource} are ${state} in a green run`),
    ...waiting.map(
      ({ resource, record_key, reason }) =>
        `${resource} ${record_key} is new in quarantine in a green run: ${reason}`,
    ),
  ]
}

/**
 * Finds gaps between fully read windows within the configured history. Unless the run was successful (`isGreen`),
 * windows may be unverified.
 */
const gapsSql = (since: number, asOf: number, isGreen: boolean) => `
  with done as (
    select epoch(window_start)::bigint as f, epoch(window_end)::bigint as t from sync_windows
    where resource = 'incidents' and state in ('done', 'accepted'${isGreen ? '' : ", 'unproven'"})
      and reason not in ('still-open', 'vanished', 'reopened')
    union all select 0, ${since} union all select ${asOf}, ${asOf}
  ), reached as (
    select f, max(t) over (order by f, t rows between unbounded preceding and 1 preceding) as before from done
  )
  select before as gap_from, f as gap_to from reached where f > before and f <= ${asOf}`
