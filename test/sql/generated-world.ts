import fc from 'fast-check'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import type { World } from '../support/world.ts'

/** 2024-02-10. The following days include a leap day, a change of month and the start of summer time in Europe. */
export const base = 1_707_523_200
const day = 86_400

/** Channel 2 has an unknown team, 3 has no team, 4 has no name, 5 is unknown, and 0 means no channel. */
const channels = [
  { channel_id: 1, channel_name: 'Payments', team_id: 11 },
  { channel_id: 2, channel_name: 'Search', team_id: 12 },
  { channel_id: 3, channel_name: 'Mail', team_id: 0 },
  { channel_id: 4, channel_name: '', team_id: 13 },
]
const teams = [
  { team_id: 11, team_name: 'Money' },
  { team_id: 13, team_name: '' },
]
const members = [
  { member_id: 7, member_name: 'Ada' },
  { member_id: 8, member_name: '' },
  // Has the same name as member 7, but no assignments.
  { member_id: 10, member_name: 'Ada' },
]
/** Some incidents also link to a post-mortem `lost`, which was never read. */
const postMortems = [
  { post_mortem_id: 'early', created_at: base + day },
  { post_mortem_id: 'late', created_at: base + 90 * day },
]

type Aim = [target_s: number | null, goal: number | null]

const own = (severity: string, aims: Record<'ack' | 'resolve', Aim>, value: string) =>
  (['ack', 'resolve'] as const).map((measure) => ({
    ...{ scope: 'team', rank: 1, value, severity, measure, hours: null, overrides: false },
    ...{ target_s: aims[measure][0], goal: aims[measure][1] },
  }))

/** Settings that differ from the defaults, so that a view which ignores them fails. Person 8 is in New York. */
const settings: Settings = {
  ...defaultSettings,
  targets: [
    { severity: 'Critical', ack_target_s: 3600, resolve_target_s: 86_400, ack_goal: 0.5, resolve_goal: null },
    { severity: 'Warning', ack_target_s: null, resolve_target_s: 172_800, ack_goal: null, resolve_goal: 0.3 },
    { severity: 'Ok', ack_target_s: 86_400, resolve_target_s: null, ack_goal: 0.9, resolve_goal: null },
  ],
  ownTargets: [
    ...own('Critical', { ack: [600, 0.7], resolve: [null, 0.9] }, 'Money'),
    ...own('Info', { ack: [60, null], resolve: [3600, 0.2] }, 'Money'),
    ...own('Warning', { ack: [null, null], resolve: [null, null] }, '(unknown)'),
  ],
  bands: [
    { band: 'work', weekdays: [1, 2, 3, 4, 5], from_hour: 7, to_hour: 17, rank: 1 },
    { band: 'sleep', weekdays: [1, 2, 3, 4, 5, 6, 7], from_hour: 0, to_hour: 9, rank: 2 },
    { band: 'off', weekdays: [1, 2, 3, 4, 5, 6, 7], from_hour: 0, to_hour: 24, rank: 3 },
  ],
  holidays: ['2024-02-12', '2024-03-15', '2024-03-28'].map((day) => ({ day, name: 'Holiday' })),
  personZones: [
    { person_id: '8', timezone: 'America/New_York' },
    { person_id: '9', timezone: 'Mars/Olympus' },
  ],
  onCall: [
    { team_name: 'Money', hours_per_week: 168 },
    { team_name: '(no channel)', hours_per_week: 40 },
    { team_name: 'Nobody', hours_per_week: 10 },
  ],
  policies: [{ name: 'ack', value: 'close_counts' }],
  thresholds: [
    { name: 'p90_min_n', value: 5 },
    { name: 'interval_min_n', value: 7 },
    { name: 'quick_close_s', value: 50_000 },
    { name: 'repeat_within_s', value: 86_400 },
    { name: 'overload_n', value: 1 },
    { name: 'hourly_cost', value: 80 },
    { name: 'overload_within_s', value: 86_400 },
  ],
}

/**
 * Generates a time that is not set, equals a limit of the settings, equals the start of the first post-mortem, or is
 * random.
 */
const after = (start: number) =>
  fc.oneof(
    fc.constant(0),
    fc.constantFrom(0, 600, 3600, 50_000, day).map((gap) => start + gap),
    fc.constant(base + day),
    { weight: 2, arbitrary: fc.integer({ min: -3600, max: 3 * day }).map((gap) => start + gap) },
  )
/** Texts. Those that contain only white space count as empty. */
const words = fc.constantFrom('', ' ', '\n', '\u00a0\t\u2028', 'because', ' \n因')
const rarely = (value: fc.Arbitrary<number>) => fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, value)

const incident = fc
  .oneof({ weight: 19, arbitrary: fc.integer({ min: base, max: base + 50 * day }) }, fc.constant(0))
  .chain((start) =>
    fc.record({
      incident_id: fc.uuid(),
      start_time: fc.constant(start),
      ack_time: after(start || base),
      end_time: after(start || base),
      close_time: after(start || base),
      created_at: fc.integer({ min: -60, max: 600 }).map((gap) => (start || base) + gap),
      updated_at: fc.integer({ min: 0, max: 9 * day }).map((gap) => (start || base) + gap),
      deleted_at: rarely(fc.constant(base)),
      vanished_at: rarely(fc.constant(base)),
      progress: fc.constantFrom('Triggered', 'Processing', 'Closed', 'Closed', 'Closed'),
      incident_severity: fc.constantFrom('Critical', 'Warning', 'Info', 'Ok', 'Unheard of'),
      creator_id: fc.constantFrom(0, 0, 7),
      closer_id: fc.constantFrom(0, 0, 7),
      alert_cnt: fc.constantFrom(0, 1, 5),
      alert_event_cnt: fc.nat(50),
      ever_muted: fc.constantFrom(false, false, false, true),
      channel_id: fc.constantFrom(0, 1, 1, 2, 3, 4, 5),
      channel_name: fc.constant('As sent'),
      integration_id: fc.constantFrom(0, 21, 22),
      integration_type: fc.constant('probe'),
      dedup_key: fc.constantFrom('', 'disk', "'; drop table incidents; --"),
      post_mortem_id: fc.constantFrom('', '', 'early', 'late', 'lost'),
      account_time_zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Mars/Olympus', ''),
      title: fc.string({ unit: 'grapheme' }),
      root_cause: words,
      resolution: words,
      impact: words,
      assigned_to: fc.constantFrom<object[]>({}, {}, { layer_idx: 0 }, { layer_idx: 2 }, { layer_idx: 'x' }),
      _seen_at: fc.constant(base + 60 * day),
      labels: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), { maxKeys: 3 }),
    }),
  )

const assignment = fc.record({
  to: fc.nat(),
  person_id: fc.constantFrom(0, 7, 7, 8, 9),
  assigned_at: fc.oneof(
    fc.constant(0),
    fc.constantFrom(0, 59, 60, 61, 119, 120, 121, 180, 300).map((gap) => base + day + gap),
    fc.integer({ min: base, max: base + 50 * day }),
  ),
  acknowledged_at: fc.constantFrom(0, base + 2 * day, base + 3 * day),
})

const version = fc.record({
  of: fc.nat(),
  progress: fc.constantFrom('Triggered', 'Processing', 'Closed'),
  incident_severity: fc.constantFrom('Critical', 'Warning', 'Info'),
  close_time: after(base + day),
  updated_at: after(base + 2 * day),
  _seen_at: fc.integer({ min: base, max: base + 50 * day }),
})

const run = fc.record({
  status: fc.constantFrom('running', 'ok', 'partial', 'failed'),
  finished_at: fc.oneof(fc.constant(0), fc.integer({ min: base, max: base + 2 })),
  as_of_at: fc.oneof(fc.constant(0), fc.integer({ min: base + 20 * day, max: base + 60 * day })),
})

const window = fc.record({
  run_id: fc.nat(3),
  resource: fc.constantFrom('incidents', 'channels'),
  state: fc.constantFrom('open', 'done', 'unproven'),
  updated_at: fc.integer({ min: base, max: base + 20 }),
})

/** Random warehouses with every state and defect that the definitions must handle. */
const worldOf = (minLength: number, maxLength: number): fc.Arbitrary<World> =>
  fc
    .record({
      incidents: fc.uniqueArray(incident, {
        selector: (row) => row.incident_id,
        minLength,
        maxLength,
        size: 'max',
      }),
      assignments: fc.array(assignment, { maxLength: 40, size: 'max' }),
      runs: fc.array(run, { maxLength: 4 }),
      windows: fc.array(window),
      quarantined: fc.nat(3),
      changes: fc.array(version, { maxLength: 40, size: 'max' }),
    })
    .map(({ assignments, runs, changes, ...rest }) => ({
      ...rest,
      runs: runs.map((row, run_id) => ({ run_id, ...row })),
      responders: assignments.flatMap(({ to, ...row }, ordinal) => {
        const { incident_id } = rest.incidents[to % rest.incidents.length] ?? {}
        return incident_id === undefined ? [] : [{ incident_id, ordinal, ...row }]
      }),
      versions: changes.flatMap(({ of, ...row }, place) => {
        const { incident_id } = rest.incidents[of % rest.incidents.length] ?? {}
        return incident_id === undefined
          ? []
          : [{ incident_id, ...row, _replaced_at: row._seen_at + 1 + place }]
      }),
      channels,
      teams,
      members,
      postMortems,
      settings,
    }))

export const world = worldOf(0, 40)

/** A warehouse with enough incidents for the interval of every figure. */
export const busyWorld = worldOf(80, 100)
