/** Targets for the incidents of one severity, in seconds. Null if there is no target. */
export interface Target {
  readonly severity: string
  readonly ack_target_s: number | null
  readonly resolve_target_s: number | null
  /** Share of incidents, 0 to 1, that should meet the target. */
  readonly ack_goal: number | null
  readonly resolve_goal: number | null
  /** Name of the working hours whose time counts toward the target. If omitted, all time counts. */
  readonly ack_hours?: string | null
  readonly resolve_hours?: string | null
}

/** A target for a team or dimension value. It replaces the target for the severity. */
export interface CustomTarget {
  /** `team`, or the name of the dimension that `value` belongs to. */
  readonly scope: string
  readonly value: string
  readonly severity: string
  readonly measure: 'ack' | 'resolve'
  /** Null removes the target for the severity, so no target applies. */
  readonly target_s: number | null
  readonly goal: number | null
  /** Name of the working hours whose time counts toward the target. If null, all time counts. */
  readonly hours: string | null
  /** Whether this target applies even if another team or value of the incident has a stricter one. */
  readonly overrides: boolean
  /** If several targets override others, or are equally strict, the highest rank applies. */
  readonly rank: number
}

/** A custom duration between two moments of an incident. */
export interface Measure {
  readonly name: string
  readonly title: string
  /** Start of the duration: a column such as `start_time`, or a custom field such as `fields.detected_at`. */
  readonly from_moment: string
  readonly to_moment: string
  readonly working_hours: string | null
  readonly target_s: number | null
  readonly goal: number | null
  /** Location of the definition, such as `config.json:7`. */
  readonly at: string
}

export interface Correction {
  readonly incident_id: string
  readonly field: string
  /** The new value. An empty string sets NULL. */
  readonly value: string
  readonly who: string
  readonly why: string
  readonly at: string
}

/** Working hours within one local day, in minutes since midnight. `closes_minute` is exclusive. */
export interface WorkingHours {
  readonly name: string
  /** 1 is Monday. */
  readonly weekdays: readonly number[]
  readonly opens_minute: number
  readonly closes_minute: number
}

/** Time zone of working hours. A row whose `team_name` is null applies to all teams without a row of their own. */
export interface WorkingZone {
  readonly name: string
  readonly team_name: string | null
  readonly timezone: string
}

/** Hours of a local day that count as work, sleep or off, without `to_hour`. In overlaps, the lowest rank applies. */
export interface Band {
  readonly band: string
  /** 1 is Monday. */
  readonly weekdays: readonly number[]
  readonly from_hour: number
  readonly to_hour: number
  readonly rank: number
}

/** A condition that excludes incidents from all figures. */
export interface Exclusion {
  readonly name: string
  /** The condition as the user wrote it. `definitions/custom-condition.ts` describes the language of conditions. */
  readonly where: string
  readonly reason: string | null
  readonly at: string
}

export interface Dimension {
  readonly name: string
  /** Expression for the value, such as `label.service`. `definitions/custom-condition.ts` describes the language. */
  readonly source: string
  readonly at: string
}

/** Rows of the tables `config_*`, which views and custom SQL can join. */
export interface Settings {
  readonly targets: readonly Target[]
  readonly ownTargets: readonly CustomTarget[]
  readonly workingHours: readonly WorkingHours[]
  readonly workingZones: readonly WorkingZone[]
  /** Members (by id or name) and integrations (by id or type) that are not people. */
  readonly automation: readonly { readonly kind: 'member' | 'integration'; readonly value: string }[]
  readonly measures: readonly Measure[]
  readonly corrections: readonly Correction[]
  readonly bands: readonly Band[]
  /** `day` is a local day, such as `2026-12-25`. */
  readonly holidays: readonly { readonly day: string; readonly name: string }[]
  /** `person_id` is a string, because an id can be too large for an exact JavaScript number. */
  readonly personZones: readonly { readonly person_id: string; readonly timezone: string }[]
  /** On-call hours of each team per week. An hour with two people on call counts twice. */
  readonly onCall: readonly { readonly team_name: string; readonly hours_per_week: number }[]
  /** `day` is a local day, such as `2026-03-14`. If `team_names` is null, the event affects all teams. */
  readonly events: readonly {
    readonly name: string
    readonly day: string
    readonly timezone: string
    readonly team_names: readonly string[] | null
  }[]
  readonly policies: readonly { readonly name: string; readonly value: string }[]
  /** The suffix of a name is its unit: `_s` for seconds, `_n` for a count, `_share` for a share from 0 to 1. */
  readonly thresholds: readonly { readonly name: string; readonly value: number }[]
  /** If several exclusions match an incident, the first one applies. */
  readonly exclusions: readonly Exclusion[]
  readonly dimensions: readonly Dimension[]
  /** Folder of custom SQL. If `isPublished`, a sync stores the views in the warehouse for everyone who opens it. */
  readonly sql?: { readonly folder: string; readonly isPublished: boolean } | undefined
}

const daily = [1, 2, 3, 4, 5, 6, 7]

export const defaultSettings: Settings = {
  targets: [
    { severity: 'Critical', ack_target_s: 300, resolve_target_s: 14_400, ack_goal: null, resolve_goal: null },
    { severity: 'Warning', ack_target_s: 900, resolve_target_s: 86_400, ack_goal: null, resolve_goal: null },
    { severity: 'Info', ack_target_s: 3_600, resolve_target_s: 259_200, ack_goal: null, resolve_goal: null },
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
