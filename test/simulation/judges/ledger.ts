import { greenOf, type Judge } from '../judge.ts'

/** A green run has read all that it says: from the wanted beginning up to its time, with nothing left open or unproven. */
export function ledger(): Judge {
  return {
    name: 'ledger',
    promise: 'bookmarks cover what they say, and a green run has proof',
    async look({ history, rows }) {
      const last = greenOf(history)
      if (last === undefined || last.green !== last.shown) return []
      const { green } = last
      const [run] = await rows(
        `select run_id, status, epoch(as_of_at)::bigint as as_of from sync_runs order by run_id desc limit 1`,
      )
      if (run === undefined) return ['there is no run']
      const problems = [
        ...(run.status === 'ok' ? [] : [`the run that ended ok is noted as ${run.status}`]),
        ...(run.as_of === BigInt(green.now) || isContinued(run.as_of, green.now)
          ? []
          : [`it says that all was read up to ${run.as_of}, and began at ${green.now}`]),
      ]
      const doubtful = await rows(
        `select resource, state, count(*)::int as n from sync_windows
         where run_id = ${run.run_id} and state not in ('done', 'accepted') group by all`,
      )
      problems.push(
        ...doubtful.map(
          ({ resource, state, n }) => `${n} windows of ${resource} are ${state} in a green run`,
        ),
      )
      const gaps = await rows(gapsSql(green.since, Number(run.as_of)))
      return [...problems, ...gaps.map(({ gap_from, gap_to }) => `never read: ${gap_from} to ${gap_to}`)]
    },
  }
}

/** A run that continues one that was interrupted reached what that one set out for: six hours before at most. */
const isContinued = (asOf: unknown, now: number) => Number(asOf) < now && Number(asOf) >= now - 6 * 3_600

/** What lies between windows that were read whole, from the wanted beginning to the end. */
const gapsSql = (since: number, asOf: number) => `
  with done as (
    select epoch(window_start)::bigint as f, epoch(window_end)::bigint as t from sync_windows
    where resource = 'incidents' and state in ('done', 'accepted')
      and reason not in ('still-open', 'vanished', 'reopened')
    union all select 0, ${since} union all select ${asOf}, ${asOf}
  ), reached as (
    select f, max(t) over (order by f, t rows between unbounded preceding and 1 preceding) as before from done
  )
  select before as gap_from, f as gap_to from reached where f > before and f <= ${asOf}`
