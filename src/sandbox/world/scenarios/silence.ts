import { type Lesson, ordinary } from '../scenario.ts'

const DAY = 86_400
const DAYS = 50

/** An integration stopped sending alerts 50 days before the end. It resumes when the clock advances. */
export const silence: Lesson = {
  teaches: 'No alert for 50 days. That is not an improvement, because an integration stopped sending.',
  incidents: 600,
  tell: (seed, anchor) => ({
    plan: (index) => ordinary(seed, index),
    rate: (time) => (time >= anchor - DAYS * DAY && time < anchor ? 0 : 1),
  }),
}
