import { mondayBefore } from '../arrival-times.ts'
import { type Lesson, ordinary } from '../scenario.ts'

const DAY = 86_400
const HOUR = 3_600
/** The first service of `Payments (production)`. */
const BROKEN = { spot: 0, service: 0, check: 1, severity: 1 } as const
/** This factor puts about 40% of all incidents into the bad hour. */
const TIMES = 2_000

/** In one hour on the Wednesday of the last full week, a dependency failed and everything near it sent alerts. */
export const storm: Lesson = {
  teaches: 'One bad hour causes four of ten incidents. Nothing else changed, and the pages show that.',
  incidents: 1_200,
  tell(seed, anchor) {
    const begins = mondayBefore(anchor) - 5 * DAY + 10 * HOUR
    const isIn = (time: number) => time >= begins && time < begins + HOUR
    return {
      plan: (index, start) => ({
        ...ordinary(seed, index),
        ...(isIn(start) ? { ...BROKEN, outcome: 'healed' } : {}),
      }),
      rate: (time) => (isIn(time) ? TIMES : 1),
    }
  },
}
