import { resolveTime } from '../sql/reference-durations.ts'
import { type Rows, type Span, started } from '../sql/reference-groups.ts'
import { quantile } from '../sql/reference-statistics.ts'
import { referenceTimes } from '../sql/reference-times.ts'
import { dayOf, midnight, wallClock } from '../sql/wall-clock.ts'
import { reporting, TIMEZONE } from '../support/all-keys-world.ts'
import type { World } from '../support/world.ts'

/** A second computation of the cards of pages, for both periods. */

/** The world with only the incidents of a part. */
export const only = (world: World, isPart: (row: World['incidents'][number]) => boolean): World => ({
  ...world,
  incidents: world.incidents.filter(isPart),
})

const [FROM, TO] = [midnight(dayOf('2026-08-03'), TIMEZONE), midnight(dayOf('2026-11-02'), TIMEZONE)]
export const current = { from: FROM, to: TO }
export const previous = { from: midnight(dayOf('2026-05-04'), TIMEZONE), to: FROM }
/** The figures of cards in a period. */
function cards(world: World, span: Span) {
  const all = started(referenceTimes(world), span)
  const heard = all.filter(({ muted }) => !muted)
  const tta = heard.flatMap(({ times }) =>
    typeof times.time_to_ack_s === 'number' ? [times.time_to_ack_s] : [],
  )
  const [resolve] = resolveTime(world, span) as Record<string, number>[]
  const acknowledged = heard.filter((one) => one.acknowledged).length
  return {
    incidents: all.length,
    serious: all.filter(({ row }) => ['Critical', 'Warning'].includes(row.incident_severity)).length,
    tta_n: tta.length,
    tta: quantile(tta, 0.5),
    ttr: resolve!.median_s,
    ttr_closed: resolve!.closed,
    ttr_open: resolve!.open,
    acknowledged_n: heard.length,
    acknowledged: acknowledged / heard.length,
    outside: all.filter(({ start }) => !isOffice(start!)).length / all.length,
  }
}

/** Whether a time is in the default working hours, without holidays. */
function isOffice(at: number) {
  const { weekday, hour, date } = wallClock(at, TIMEZONE)
  return weekday <= 5 && hour >= 8 && hour < 19 && !(date in reporting.holidays)
}

/** The figures of those cards that a page has. */
export const told = (rows: Rows, world: World) =>
  (
    [
      ['current', current],
      ['previous', previous],
    ] as const
  ).map(([period, span]) => {
    const known = Object.entries({ ...cards(world, span), period })
    return Object.fromEntries(known.filter(([name]) => name in rows[0]!))
  })
