/** What is promised of a severity: seconds, null where nothing is. */
export interface Target {
  readonly severity: string
  readonly ack_target_s: number | null
  readonly resolve_target_s: number | null
  /** Share of incidents, 0 to 1, that is to be within the target. */
  readonly ack_goal: number | null
  readonly resolve_goal: number | null
  /** Name of the working hours that alone count; all do unless given. */
  readonly ack_hours?: string | null
  readonly resolve_hours?: string | null
}

/** A target of a team, or of a value of a dimension, which replaces that of the severity. */
export interface CustomTarget {
  /** What `value` is of: `team`, or the name of a dimension. */
  readonly scope: string
  readonly value: string
  readonly severity: string
  readonly measure: 'ack' | 'resolve'
  /** Seconds; null is no target. */
  readonly target_s: number | null
  /** Share of incidents, 0 to 1. */
  readonly goal: number | null
  /** Name of the working hours that alone count; null is all hours. */
  readonly hours: string | null
  /** Holds also where another one is stricter. */
  readonly overrides: boolean
  /** Of several that override, or that are equally strict, the one with the highest holds. */
  readonly rank: number
}

/** A duration of the company's own between two moments. */
export interface Measure {
  readonly name: string
  readonly title: string
  /** `start_time`, or `fields.NAME`. */
  readonly from_moment: string
  readonly to_moment: string
  readonly working_hours: string | null
  readonly target_s: number | null
  readonly goal: number | null
  /** Where it stands: `config.json:7`. */
  readonly at: string
}

/** What an incident is to have in the place of what was read. */
export interface Correction {
  readonly incident_id: string
  readonly field: string
  /** Nothing is NULL. */
  readonly value: string
  readonly who: string
  readonly why: string
  /** Where it stands: `corrections.csv:7`. */
  readonly at: string
}

/** Minutes of the local day in which is worked, up to, not including, `closes_minute`; never over midnight. */
export interface WorkingHours {
  readonly name: string
  /** 1 is Monday. */
  readonly weekdays: readonly number[]
  readonly opens_minute: number
  readonly closes_minute: number
}

/** By which clock working hours go, for a team; null is for all that have none of their own. */
export interface WorkingZone {
  readonly name: string
  readonly team_name: string | null
  readonly timezone: string
}

/**
 * Hours of the local clock that belong to a band, from `from_hour` up to, not including, `to_hour`; never over midnight.
 * Where several hold an hour, the lowest rank wins. Every hour of every day is in one of them.
 */
export interface Band {
  readonly band: string
  /** 1 is Monday. */
  readonly weekdays: readonly number[]
  readonly from_hour: number
  readonly to_hour: number
  readonly rank: number
}

/** A condition that leaves incidents out of every figure. */
export interface Exclusion {
  readonly name: string
  /** A condition as it was written, see `definitions/custom-condition.ts`. */
  readonly where: string
  readonly reason: string | null
  /** Where it stands: `config.json:7`. */
  readonly at: string
}

/** Something by which incidents are told apart, beside team and severity. */
export interface Dimension {
  readonly name: string
  /** What gives its value, in the language of conditions: `label.service`. */
  readonly source: string
  readonly at: string
}

/**
 * Targets, hours, thresholds and policies as the rows of the warehouse's `config_*` tables. The
 * configuration makes them; views and SQL of users join them.
 */
export interface Settings {
  readonly targets: readonly Target[]
  readonly ownTargets: readonly CustomTarget[]
  readonly workingHours: readonly WorkingHours[]
  readonly workingZones: readonly WorkingZone[]
  /** Who is no person: members by id or name, integrations by id or type. */
  readonly automation: readonly { readonly kind: 'member' | 'integration'; readonly value: string }[]
  readonly measures: readonly Measure[]
  readonly corrections: readonly Correction[]
  readonly bands: readonly Band[]
  /** Local days, `2026-12-25`. */
  readonly holidays: readonly { readonly day: string; readonly name: string }[]
  /** `person_id` as text, since ids may be longer than a number is exact. */
  readonly personZones: readonly { readonly person_id: string; readonly timezone: string }[]
  /** Hours a week that somebody of a team is on call; two people at once count twice. */
  readonly onCall: readonly { readonly team_name: string; readonly hours_per_week: number }[]
  /** What happened: its local day, `2026-03-14`, where, and the teams that it touched; null is all. */
  readonly events: readonly {
    readonly name: string
    readonly day: string
    readonly timezone: string
    readonly team_names: readonly string[] | null
  }[]
  readonly policies: readonly { readonly name: string; readonly value: string }[]
  /** Names that end in `_s` are seconds, in `_n` counts, in `_share` parts of 1. */
  readonly thresholds: readonly { readonly name: string; readonly value: number }[]
  /** What is counted, and by what, in the company's own words: `own_incidents` is made of it. The first that holds leaves out. */
  readonly exclusions: readonly Exclusion[]
  readonly dimensions: readonly Dimension[]
  /** Definitions of the user's own beside those of `sql/`; whether a sync makes them in the file for all who open it. */
  readonly sql?: { readonly folder: string; readonly isPublished: boolean } | undefined
}

const daily = [1, 2, 3, 4, 5, 6, 7]

/** What holds where the configuration says nothing. */
export const defaultSettings: Settings = {
  targets: [
    { severity: 'Critical', ack_target_s: 300, resolve_target_s: 14_400, ack_goal: 0.9, resolve_goal: 0.9 },
    { severity: 'Warning', ack_target_s: 900, resolve_target_s: 86_400, ack_goal: 0.9, resolve_goal: 0.9 },
    { severity: 'Info', ack_target_s: 3_600, resolve_target_s: 259_200, ack_goal: 0.9, resolve_goal: 0.9 },
  ],
  ownTargets: [],
  workingHours: [],
  workingZones: [],
  automation: [],
  measures: [],
  corrections: [],
  bands: [
    { band: 'sleep', weekdays: daily, from_hour: 23, to_hour: 24, rank: 1 },
    { band: 'sleep', weekdays: daily, from_hour: 0, to_hour: 8, rank: 1 },
    { band: 'work', weekdays: [1, 2, 3, 4, 5], from_hour: 8, to_hour: 19, rank: 2 },
    { band: 'off', weekdays: daily, from_hour: 0, to_hour: 24, rank: 3 },
  ],
  holidays: [],
  personZones: [],
  onCall: [],
  events: [],
  policies: [
    { name: 'ack', value: 'exclude' },
    { name: 'cohort', value: 'started' },
  ],
  thresholds: [
    { name: 'p90_min_n', value: 10 },
    { name: 'interval_min_n', value: 6 },
    { name: 'quick_close_s', value: 300 },
    { name: 'repeat_within_s', value: 604_800 },
    { name: 'overload_n', value: 2 },
    { name: 'overload_within_s', value: 43_200 },
    { name: 'noise_min_n', value: 10 },
    { name: 'noise_self_healed_share', value: 0.5 },
    { name: 'coverage_warn_share', value: 0.999 },
    { name: 'coverage_error_share', value: 0.9 },
    { name: 'age_warn_s', value: 129_600 },
    { name: 'age_error_s', value: 604_800 },
    { name: 'quarantined_warn_share', value: 0 },
    { name: 'quarantined_error_share', value: 0.01 },
    { name: 'conflicts_warn_share', value: 0.01 },
    { name: 'conflicts_error_share', value: 0.1 },
    { name: 'unknown_team_warn_share', value: 0.1 },
  ],
  exclusions: [],
  dimensions: [],
}
