import type { World } from '../support/world.ts'
import { mean, type Rows, type Span, share, started } from './reference-groups.ts'
import { quantile } from './reference-statistics.ts'
import { referenceAsOf, referenceTimes } from './reference-times.ts'
import { bucketAfter, bucketOf, midnight, wallClock } from './wall-clock.ts'

export function rhythm(world: World, zone: string, span: Span): Rows {
  const cells = new Map<string, number>()
  for (let weekday = 1; weekday <= 7; weekday++) {
    for (let hour = 0; hour < 24; hour++) cells.set(`${weekday}/${hour}`, 0)
  }
  const all = started(referenceTimes(world), span).filter(({ start }) => start !== undefined)
  for (const { start } of all) {
    const { weekday, hour } = wallClock(start!, zone)
    cells.set(`${weekday}/${hour}`, cells.get(`${weekday}/${hour}`)! + 1)
  }
  return [...cells].map(([cell, incidents]) => {
    const [weekday, hour] = cell.split('/').map(Number)
    return { weekday, hour, incidents, share: share(incidents, all.length) }
  })
}

/** Whether any second between two times is outside of the read windows. False if no windows are known. */
function isUnread({ windows }: World, from: number, to: number): boolean {
  const read = windows.filter(
    ({ resource, state, window_start }) =>
      resource === 'incidents' && state === 'done' && window_start !== undefined,
  ) as unknown as { window_start: number; window_end: number }[]
  if (read.length === 0) return false
  let reached = from
  for (const { window_start, window_end } of read.toSorted((a, b) => a.window_start - b.window_start)) {
    if (window_start > reached) break
    reached = Math.max(reached, window_end)
  }
  return reached < to
}

export function incidentCounts(world: World, bucket: string, zone: string, span: Span): Rows {
  const everything = referenceTimes(world)
  const asOf = everything.length === 0 ? undefined : (referenceAsOf(world)?.as_of_at ?? undefined)
  const all = started(everything, span).filter(({ start }) => start !== undefined)
  const bucketsOf = all.map(({ start }) => bucketOf(start!, bucket, zone))
  const buckets = new Set(bucketsOf)
  const first = span.from === undefined ? Math.min(...bucketsOf) : bucketOf(span.from, bucket, zone)
  const until = Math.min(
    asOf ?? Number.POSITIVE_INFINITY,
    span.to === undefined ? Number.POSITIVE_INFINITY : span.to - 1,
  )
  if (Number.isFinite(first) && Number.isFinite(until)) {
    for (let at = first; at <= bucketOf(until, bucket, zone); at = bucketAfter(at, bucket)) buckets.add(at)
  }
  const severities = new Set([
    '(all)',
    'Critical',
    'Warning',
    'Info',
    'Ok',
    ...all.map(({ row }) => row.incident_severity),
  ])
  return [...buckets].flatMap((bucket_start) => {
    const [starts_at, ends_at] = [
      midnight(bucket_start, zone),
      midnight(bucketAfter(bucket_start, bucket), zone),
    ]
    const own = all.filter((_, place) => bucketsOf[place] === bucket_start)
    const isCut = starts_at < (span.from ?? starts_at) || ends_at > (span.to ?? ends_at)
    return [...severities].map((severity) => {
      const incidents = own.filter(
        ({ row }) => severity === '(all)' || row.incident_severity === severity,
      ).length
      return {
        bucket_start,
        starts_at,
        ends_at,
        hours: (ends_at - starts_at) / 3600,
        is_partial:
          isCut || isUnread(world, starts_at, ends_at) || (asOf === undefined ? null : ends_at > asOf),
        incident_severity: severity,
        incidents,
        share: share(incidents, own.length),
      }
    })
  })
}

/**
 * Returns Wheeler's limits of individual values (XmR), but not below `lowest`: the mean ± 2.66 mean moving ranges, or
 * the median ± 3.145 median moving ranges (Understanding Variation, 2nd ed., and Advanced Topics in Statistical Process
 * Control, table A.6). Below 20 points it uses medians, so that one spike does not widen the range enough to hide
 * itself. If the counts are rare or mostly equal, returns the limits that one series in a hundred exceeds when each
 * event is equally likely at any time. Undefined below 6 points, and if the range has width 0.
 */
export function limits(points: readonly number[], areCounts = false, lowest = 0) {
  if (points.length < 6) return undefined
  const most = Math.max(...points.map((point) => points.filter((one) => one === point).length))
  if (areCounts && (quantile(points, 0.5)! < 2 || 2 * most > points.length)) return countLimits(points)
  const moves = points.slice(1).map((point, place) => Math.abs(point - points[place]!))
  const by = points.length < 20 ? 'median' : 'mean'
  const centre = by === 'median' ? quantile(points, 0.5)! : mean(points)!
  const reach = by === 'median' ? 3.145 * quantile(moves, 0.5)! : 2.66 * mean(moves)!
  if (reach === 0) return undefined
  return { by, centre, low: Math.max(lowest, centre - reach), high: centre + reach }
}

/**
 * Returns limits for rare counts, or undefined for fewer than 5 events. Over-dispersion, measured without the largest
 * count, reduces the effective number of events.
 */
export function countLimits(points: readonly number[]) {
  const all = points.reduce((sum, one) => sum + one, 0)
  if (all < 5) return undefined
  const rest = points.toSorted((a, b) => a - b).slice(0, -1)
  const average = mean(rest)!
  const chi = average === 0 ? 0 : rest.reduce((sum, one) => sum + (one - average) ** 2, 0) / average
  const together = Math.max(1, chi / (points.length - 2))
  const usual = Math.min(all, Math.ceil(average * points.length + Math.sqrt(all)))
  const n = Math.max(1, Math.round(usual / together))
  const tail = 0.005 / points.length
  // Computes the binomial probabilities by recursion, up to a common factor.
  const odds = 1 / (points.length - 1)
  const shares = [1]
  for (let k = 1; k <= n; k++) shares.push(shares[k - 1]! * ((n - k + 1) / k) * odds)
  const total = shares.reduce((sum, one) => sum + one, 0)
  const reach = (each: readonly number[]) => {
    let sum = 0
    return each.findIndex((one) => {
      sum += one / total
      return sum > tail
    })
  }
  return {
    by: 'count',
    centre: usual / points.length,
    low: together * reach(shares),
    high: together * (n - reach(shares.toReversed())),
  }
}

export function weeklyUsualRange(world: World, zone: string, span: Span): Rows {
  const weeks = incidentCounts(world, 'week', zone, span)
    .filter(({ incident_severity }) => incident_severity === '(all)')
    .sort((a, b) => Number(a.bucket_start) - Number(b.bucket_start))
  const handled = started(referenceTimes(world), span).filter(
    ({ times, row, start }) => times.is_handled_by_people && !row.ever_muted && start !== undefined,
  )
  const logsOf = (week: unknown) =>
    handled
      .filter(({ start }) => bucketOf(start!, 'week', zone) === week)
      .flatMap(({ times }) =>
        typeof times.time_to_close_s === 'number' ? [Math.log(times.time_to_close_s + 1)] : [],
      )
  const series: Record<string, (number | null)[]> = {
    incidents: weeks.map(({ incidents }) => Number(incidents)),
    median_ln_ttr: weeks.map(({ bucket_start }) => quantile(logsOf(bucket_start), 0.5)),
  }
  return Object.entries(series).flatMap(([measure, values]) => {
    const points = values.filter(
      (value, place): value is number => value !== null && weeks[place]!.is_partial === false,
    )
    const range = limits(points, measure === 'incidents')
    return values.map((value, place) => ({
      measure,
      week: weeks[place]!.bucket_start,
      is_partial: weeks[place]!.is_partial,
      value,
      low: range?.low ?? null,
      centre: range?.centre ?? null,
      high: range?.high ?? null,
      range_by: range?.by ?? null,
      points: points.length,
      is_unusual:
        points.length < 12 || !range || value === null || weeks[place]!.is_partial !== false
          ? null
          : value < range.low || value > range.high,
    }))
  })
}
