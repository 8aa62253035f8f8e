import { readConfig } from '../../src/config/config-file.ts'
import { settingsOf } from '../../src/config/reporting.ts'
import type { Correction } from '../../src/settings/settings.ts'
import { seeded } from './random.ts'
import type { Content } from './world.ts'

/** A company with every option of src/config/custom-definitions.md configured. 92% of its incidents are tests. */

const HOUR = 3600
const DAY = 24 * HOUR
/** Monday, 2 November 2026, 07:00 in Berlin, the time zone of the reports. */
export const AS_OF = Date.UTC(2026, 10, 2, 6) / 1000
const FIRST = AS_OF - 30 * 7 * DAY
/** From this day on, the team Payments takes half as long. */
const ROTA = '2026-09-07'
export const TIMEZONE = 'Europe/Berlin'
export const BOTS = { healer: 901, relay: 902 }

export const reporting = {
  exclude: [
    {
      name: 'test channels',
      where: "channel_name in ('Soaking', 'Silent Test')",
      reason: 'nobody is called',
    },
    {
      name: 'staging',
      where: "coalesce(label.env, 'prod') not in ('prod', 'live') or title ilike '[test]%'",
    },
    { name: 'old imports', where: "start_time < '2026-04-10' and incident_severity = 'Ok'" },
  ],
  dimensions: {
    service: 'lower(label.service)',
    region: 'coalesce(fields.region, upper(label.region))',
  },
  targets: {
    defaults: false,
    Critical: { ack: '10m', resolve: '4h', ackGoal: 0.8, resolveGoal: 0.6 },
    Warning: { ack: '1h', resolve: '8h', ackGoal: 0.7, ackHours: 'office', resolveHours: 'office' },
    teams: { Payments: { Critical: { ack: '5m' } }, Search: { Info: { resolve: '2d', resolveGoal: 0.5 } } },
    dimensions: {
      service: { checkout: { Critical: { resolve: '1h', resolveHours: 'late' } } },
      region: { EU: { Critical: { ack: '20m' }, Warning: { ack: null } } },
    },
  },
  workingHours: {
    office: { days: 'Mon-Fri', from: 9, to: '17:30' },
    late: { days: 'Fri,Sat,Sun', from: 20, to: 4, timezone: 'Asia/Tokyo' },
  },
  teamZones: { Payments: 'America/New_York', Data: 'Asia/Kolkata' },
  holidays: { '2026-05-01': 'May Day', '2026-10-26': 'Bank holiday' },
  zones: { 1: 'America/New_York', 2: 'Asia/Kolkata' },
  measures: {
    mitigate: { from: 'start_time', to: 'fields.mitigated_at', title: 'Mitigate', target: '1h', goal: 0.5 },
    fix: { from: 'ack_time', to: 'close_time', title: 'Fix', workingHours: 'office' },
    react: { from: 'fields.detected_at', to: 'first_answer', title: 'React' },
    learn: { from: 'close_time', to: 'first_post_mortem', title: 'Learn' },
  },
  ackPolicy: 'exclude',
  automation: { members: ['remediation bot', BOTS.relay], integrations: ['healer'] },
  events: [
    { date: ROTA, name: 'new rota', teams: ['Payments'] },
    { date: '2026-10-05', name: 'freeze' },
  ],
  onCall: { Payments: 168, Search: 84 },
  hourlyCost: 90,
}

const TEAMS = ['Payments', 'Search', 'Checkout', 'Data', 'Identity', 'Mobile', 'Core', 'Growth']
/** The team of the last channel is unknown. */
const channels = Array.from({ length: 40 }, (_, index) => ({
  channel_id: index + 1,
  channel_name: ['Soaking', 'Silent Test'][index] ?? `channel ${index + 1}`,
  team_id: index === 39 ? 99 : 11 + (index % TEAMS.length),
}))
const people = Array.from({ length: 12 }, (_, index) => ({
  member_id: index + 1,
  member_name: index === 11 ? '' : `Person ${index + 1}`,
}))
const bots = [
  { member_id: BOTS.healer, member_name: 'Remediation Bot' },
  { member_id: BOTS.relay, member_name: 'Relay' },
]

function dice(seed: number) {
  const next = seeded(seed)
  const some = (most: number) => Math.floor(next() * most)
  return {
    some,
    oneIn: (most: number) => some(most) === 0,
    from: <One>(all: readonly One[]): One => all[some(all.length)]!,
    /** Returns a random duration around this one in seconds, sometimes many times longer. */
    about: (seconds: number) => Math.round(seconds * Math.exp(1.6 * (next() - 0.3))),
  }
}
type Dice = ReturnType<typeof dice>

const id = (place: number) => place.toString(16).padStart(24, '0')

function base({ some, oneIn, from }: Dice, place: number, isTest: boolean) {
  const start_time = FIRST + some(AS_OF - FIRST - HOUR)
  const channel_id = isTest ? 1 + some(2) : oneIn(25) ? 0 : 3 + some(38)
  const service = from(['checkout', 'Checkout', 'cart', 'payments', undefined])
  return {
    incident_id: id(place),
    num: `N${place}`,
    title: oneIn(30) ? '[TEST] again' : `Disk ${some(20)} <b>`,
    account_time_zone: 'Europe/Berlin',
    channel_id,
    channel_name: 'former name',
    incident_severity: from(['Critical', 'Warning', 'Warning', 'Info', 'Info', 'Ok']),
    start_time,
    created_at: start_time + some(90) - 5,
    creator_id: oneIn(20) ? 3 : 0,
    alert_cnt: oneIn(40) ? 0 : 1 + some(4),
    alert_event_cnt: 4 + some(30),
    ever_muted: oneIn(20),
    integration_id: from([40, 41, 42]),
    dedup_key: oneIn(4) ? '' : `key ${some(30)}`,
    labels: {
      ...(service && { service }),
      ...(oneIn(6) ? {} : { env: from(['prod', 'prod', 'prod', 'prod', 'live', 'staging']) }),
      ...(oneIn(2) && { region: from(['eu', 'us', ' ']) }),
    },
    root_cause: oneIn(2) ? 'a leak' : '',
    resolution: oneIn(2) ? 'a restart' : '',
    impact: oneIn(3) ? 'slow' : '',
    assigned_to: oneIn(8) ? { layer_idx: 1 } : {},
    _seen_at: AS_OF - HOUR,
    deleted_at: oneIn(60) ? start_time + DAY : 0,
    vanished_at: 0,
  }
}

/** Writes a time as one of three tools would: ISO text, milliseconds or seconds. */
const written = (at: number, kind: string) =>
  kind === 'iso' ? new Date(at * 1000).toISOString() : kind === 'ms' ? at * 1000 : String(at)

function happened(roll: Dice, place: number) {
  const { some, oneIn, from, about } = roll
  const isTest = place % 25 > 1
  const one = base(roll, place, isTest)
  const integration_type = { 40: 'Healer', 41: 'Prometheus', 42: 'Mail' }[one.integration_id]!
  const isOpen = !isTest && (oneIn(20) || one.start_time > AS_OF - DAY)
  // Incidents of the team Payments take half as long after the new rota.
  const isQuick = one.channel_id % TEAMS.length === 1 && one.start_time >= Date.parse(ROTA) / 1000
  const pace = isQuick ? 0.5 : 1
  const isTaken = !isTest && oneIn(4)
  const ack = isTest ? 5 : oneIn(7) ? 0 : isTaken ? 45 : Math.round(pace * about(900))
  const close = isTest ? 20 : Math.max(ack, 0) + Math.round(pace * about(3 * HOUR))
  const at = (seconds: number) => Math.min(AS_OF, one.start_time + seconds)
  const ack_time = ack === 0 ? 0 : oneIn(80) ? one.start_time - 30 : at(ack)
  const close_time = isOpen ? 0 : at(close)
  const incident = {
    ...one,
    integration_type,
    progress: isOpen ? (ack ? 'Processing' : 'Triggered') : 'Closed',
    ack_time,
    close_time,
    end_time: isOpen || oneIn(4) ? 0 : close_time - some(60),
    closer_id: isOpen ? 0 : isTest ? 0 : from([0, 1, 2, 5, BOTS.healer]),
    updated_at: close_time || Math.min(AS_OF, one.start_time + HOUR),
    post_mortem_id: oneIn(3) ? `p${place}` : '',
    fields: {
      ...(oneIn(3) && { region: from(['EU', 'US']) }),
      ...(oneIn(4)
        ? { mitigated_at: '' }
        : {
            mitigated_at: written(
              oneIn(15) ? one.start_time - 60 : at(about(HOUR)),
              from(['iso', 'ms', 's']),
            ),
          }),
      ...(oneIn(2) && { detected_at: written(one.start_time - some(300), 'iso') }),
    },
  }
  const called = Array.from({ length: isTest ? 0 : some(4) }, (_, ordinal) => {
    const assigned_at = oneIn(30) ? 0 : at(20 + ordinal * some(900))
    const acknowledged_at = oneIn(3) ? 0 : at(ack + 20 + some(1200))
    return { incident_id: one.incident_id, ordinal, person_id: 1 + some(12), assigned_at, acknowledged_at }
  })
  // Automation is assigned first, and hands the incident over to people.
  const taken = isTaken
    ? [
        {
          incident_id: one.incident_id,
          ordinal: called.length,
          person_id: from(Object.values(BOTS)),
          assigned_at: at(10),
          acknowledged_at: oneIn(5) ? 0 : at(45),
        },
      ]
    : []
  return { incident, responders: [...called, ...taken] }
}

/** Earlier versions of some incidents, with a lower severity or another time of closing. */
function formerOf(incident: ReturnType<typeof happened>['incident'], { oneIn, some }: Dice) {
  if (!oneIn(6)) return []
  const isReopened = incident.progress !== 'Closed' && oneIn(2)
  return [
    {
      ...incident,
      incident_severity: oneIn(2) ? 'Info' : incident.incident_severity,
      progress: isReopened ? 'Closed' : 'Triggered',
      close_time: isReopened ? incident.start_time + 600 : 0,
      updated_at: incident.start_time + some(900),
      _seen_at: incident.start_time + 1000,
      _replaced_at: incident._seen_at,
    },
  ]
}

/** Corrects fields of some incidents, with each kind of correction in turn. */
function correctionsFor(all: readonly ReturnType<typeof happened>['incident'][]): Correction[] {
  const day = (at: number) => new Date(at * 1000).toISOString()
  const kinds: [field: string, value: (start: number) => string][] = [
    ['ack_time', (start) => day(start + 300)],
    ['ack_time', () => ''],
    ['close_time', (start) => day(start + 2 * HOUR)],
    ['close_time', () => ''],
    ['end_time', () => ''],
    ['start_time', (start) => day(start - 200 * DAY)],
    ['start_time', (start) => day(start - 600)],
    ['incident_severity', () => 'Critical'],
    ['incident_severity', () => 'Ok'],
    ['ack_time', (start) => day(start - 60)],
  ]
  const counted = all.filter(({ channel_id }) => channel_id > 2)
  const several = counted.filter((_, place) => place % 7 === 3)
  const corrected = several.map(({ incident_id, start_time }, place): Correction => {
    const [field, value] = kinds[place % kinds.length]!
    return { incident_id, field, value: value(start_time), who: 'Ann', why: 'by hand', at: `c.csv:${place}` }
  })
  // One incident has two corrected fields, and one corrected incident is an excluded test.
  const { incident_id, start_time } = several[0]!
  const more = { who: 'Bob', why: 'never recovered', at: 'c.csv:99' }
  return [
    ...corrected,
    { ...more, incident_id, field: 'close_time', value: day(start_time + 5 * HOUR) },
    {
      ...more,
      incident_id: all.find(({ channel_id }) => channel_id === 1)!.incident_id,
      field: 'end_time',
      value: '',
    },
  ]
}

/** Builds incidents of which only 2 in 25 are not tests. */
export function allKeysWorld(incidents = 6000, seed = 29) {
  const roll = dice(seed)
  const all = Array.from({ length: incidents }, (_, place) => happened(roll, place))
  const rows = all.map(({ incident }) => incident)
  const settings = settingsOf(readConfig(JSON.stringify({ reporting }), 'c.json').data.reporting, {
    timezone: TIMEZONE,
    corrections: correctionsFor(rows),
  })
  const content = {
    incidents: rows,
    responders: all.flatMap(({ responders }) => responders),
    versions: rows.flatMap((one) => (one.channel_id > 2 ? formerOf(one, roll) : [])),
    channels,
    teams: TEAMS.map((team_name, index) => ({ team_id: 11 + index, team_name })),
    members: [...people, ...bots],
    postMortems: rows.flatMap(({ post_mortem_id, close_time, start_time }) =>
      post_mortem_id === '' || roll.oneIn(6)
        ? []
        : [{ post_mortem_id, created_at: (close_time || start_time) + roll.some(3 * DAY) - HOUR }],
    ),
    runs: [{ run_id: 1, status: 'ok', finished_at: AS_OF + 60, as_of_at: AS_OF }],
    windows: [
      {
        run_id: 1,
        resource: 'incidents',
        state: 'done',
        window_start: FIRST - 1,
        window_end: AS_OF,
        updated_at: AS_OF,
      },
    ],
    quarantined: 0,
    settings,
  } satisfies Content
  return content
}
