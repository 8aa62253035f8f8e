import { unit } from '../../random.ts'
import { type Lesson, ordinary } from '../scenario.ts'

const MINUTE = 60
/** Positions of the channels for testing alerts, which the team Platform owns. */
const TESTING = { 10: 'Soaking', 11: 'Silent Test' } as const
const TEST_SPOTS = [10, 11] as const
/** `tests` is a share of all incidents. `robots` and `marked` (tests in real channels) are shares of the others. */
const SHARE = { tests: 0.92, robots: 0.3, marked: 0.06 }
const ROBOT = 'Remediation Bot'

/** The raw data gives wrong figures in seven ways. README.md lists them, each with its configuration. */
export const testServices: Lesson = {
  teaches: '11 of 12 incidents are tests that a robot closes. Figures made by hand contain seven mistakes.',
  incidents: 6_000,
  reporting: {
    exclude: [
      {
        name: 'test channels',
        where: "channel_name in ('Soaking', 'Silent Test')",
        reason: 'nobody is called',
      },
      {
        name: 'no production',
        where: "coalesce(label.env, 'production') <> 'production' or title ilike '[test]%'",
      },
    ],
    dimensions: { service: 'lower(label.service)' },
    automation: { members: [ROBOT] },
    workingHours: { office: { days: 'Mon-Fri', from: 9, to: 18, timezone: 'Europe/Berlin' } },
    targets: {
      Info: { ack: '2h', ackHours: 'office', resolveHours: 'office' },
      teams: { Payments: { Critical: { ack: '2m' } } },
    },
    measures: {
      mitigate: { from: 'start_time', to: 'fields.mitigated_at', title: 'Time to mitigate', target: '1h' },
    },
  },
  tell(seed) {
    const isTest = (index: number) => unit(seed, index, 360) < SHARE.tests
    return {
      channels: TESTING,
      robot: ROBOT,
      rate: () => 1,
      plan(index) {
        if (!isTest(index))
          return { ...ordinary(seed, index), isRobots: unit(seed, index, 361) < SHARE.robots }
        const spot = TEST_SPOTS[unit(seed, index, 362) < 0.6 ? 0 : 1]
        return { spot, outcome: 'healed', healed: 20, severity: 2 }
      },
      retouched({ title, labels, fields, close_time, ack_time }, index) {
        if (isTest(index)) return { labels: { ...labels, env: 'test' } }
        const isMarked = unit(seed, index, 363) < SHARE.marked
        const service = labels?.service
        const isLoud = service !== undefined && unit(seed, index, 364) < 0.4
        const mitigated = Number(ack_time) + 10 * MINUTE
        const isMitigated = Number(ack_time) > 0 && Number(close_time) > mitigated
        return {
          title: isMarked ? `[TEST] ${title}` : title,
          labels: isLoud ? { ...labels, service: service.toUpperCase() } : labels,
          fields: isMitigated ? { ...fields, mitigated_at: mitigated } : fields,
        }
      },
    }
  },
}
