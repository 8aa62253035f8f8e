import { unit } from '../../random.ts'
import { isNight } from '../arrival-times.ts'
import { type Lesson, ordinary } from '../scenario.ts'

/** Positions of the affected channels: `Logistics (production)` and both channels of Checkout. */
const SURGING = 18
const SLOW: readonly number[] = [2, 3]
/** Additional incidents of shipment-tracker, as a share of all incidents before and after the change. */
const SURGE = { before: 0.02, after: 0.12 }
const NIGHTS = { before: 1.3, after: 0.5 }

/**
 * The company of the demo. Since the beginning of the last complete month, production alerts of Logistics have tripled
 * and nights are quieter. Checkout always acknowledges late. One Critical incident is unacknowledged at the end.
 */
export const meridian: Lesson = {
  teaches: 'An ordinary company: one source of alerts has tripled, nights are quieter, one team is late.',
  incidents: 6_000,
  tell(seed, anchor, incidents) {
    const end = new Date(anchor * 1_000)
    const turn = Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1) / 1_000
    return {
      plan(index, start) {
        if (index === incidents - 5)
          return { spot: 0, service: 0, check: 1, severity: 0, outcome: 'stuck', isForgotten: true }
        const isSurge = unit(seed, index, 351) < (start < turn ? SURGE.before : SURGE.after)
        return { ...ordinary(seed, index), ...(isSurge ? { spot: SURGING, service: 0, check: 0 } : {}) }
      },
      slowness: (spot) => (SLOW.includes(spot) ? 3.5 : 1),
      rate: (time) => (isNight(time) ? (time < turn ? NIGHTS.before : NIGHTS.after) : 1),
    }
  },
}
