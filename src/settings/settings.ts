/** Targets of a severity, in seconds. Null means no target. */
export interface Target {
  readonly severity: string
  readonly ack_target_s: number | null
  readonly resolve_target_s: number | null
  /** Share of incidents, 0 to 1, that should meet the target. */
  readonly ack_goal: number | null
  readonly resolve_goal: number | null
  /** Name of the working hours in which time counts. If omitted, all hours count. */
  readonly ack_hours?: string | null
  readonly resolve_hours?: string | null
}

/** A target of a team or dimension value, which replaces that of the severity. */
export interface CustomTarget {
  /** `team`, or the name of the dimension that `value` belongs to. */
  readonly scope: string
  readonly value: string
  readonly severity: string
  readonly measure: 'ack' | 'resolve'
  /** Null means no target. */
  readonly target_s: number | null
  readonly goal: number | null
  /** Name of the working hours in which time counts. Null means all hours. */
  readonly hours: string | null
  /** Applies even if another target is stricter. */
  readonly overrides: boolean
  /** Decides among several overriding targets, or equally strict ones. The highest rank wins. */
  readonly rank: number
}

/** A custom duration between two moments. */
export interface Measure {
  readonly name: string
  readonly title: string
  /** `start_time`, or `fields.NAME`. */
  readonly from_moment: string
  readonly to_moment: string
  readonly working_hours: string | null
  readonly target_s: number | null
  readonly goal: number | null
  /** Location, such as `config.json:7`. */
  readonly at: string
}

/** A corrected value of an incident. */
export interface Correction {
  readonly incident_id: string
  readonly field: string
  /** Empty means NULL. */
  readonly value: string
  readonly who: string
  readonly why: string
  /** Location, such as `corrections.csv:7`. */
  readonly at: string
}

/** Working hours in minutes of the local day, never over midnight. `closes_minute` is exclusive. */
export interface WorkingHours {
  readonly name: string
  /** 1 is Monday. */
  readonly weekdays: readonly number[]
  readonly opens_minute: number
  readonly closes_minute: number
}

/** Time zone of working hours. A null team applies to all teams without their own zone. */
export interface WorkingZone {
  readonly name: string
  readonly team_name: string | null
  readonly timezone: string
}

/**
 * Local hours of a band. They never extend over midnight, and `to_hour` is exclusive. If several bands match, the
 * lowest rank wins. Together, bands cover every hour.
 */
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
  /** The condition as written, see `definitions/custom-condition.ts`. */
  readonly where: string
  readonly reason: string | null
  /** Location, such as `config.json:7`. */
  readonly at: string
}

/** A custom dimension for grouping and filtering. */
export interface Dimension {
  readonly name: string
  /** Source of its value in the condition language, such as `label.service`. */
  readonly source: string
  readonly at: string
}

/** Targets, hours, thresholds and policies as rows of the tables `config_*`. Views and custom SQL join these tables. */
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
  /** Local days, `2026-12-25`. */
  readonly holidays: readonly { readonly day: string; readonly name: string }[]
  /** `person_id` is a string, because ids can exceed the exact range of a number. */
  readonly personZones: readonly { readonly person_id: string; readonly timezone: string }[]
  /** Person-hours on call per week. If two people are on call at the same time, both count. */
  readonly onCall: readonly { readonly team_name: string; readonly hours_per_week: number }[]
  /** Events with their local day, `2026-03-14`. Null `team_names` means all teams. */
  readonly events: readonly {
    readonly name: string
    readonly day: string
    readonly timezone: string
    readonly team_names: readonly string[] | null
  }[]
  readonly policies: readonly { readonly name: string; readonly value: string }[]
  /** The suffix of the name states the unit: `_s` seconds, `_n` a count, `_share` 0 to 1. */
  readonly thresholds: readonly { readonly name: string; readonly value: number }[]
  /** Custom definitions, from which `own_incidents` is created. The first matching exclusion applies. */
  readonly exclusions: readonly Exclusion[]
  readonly dimensions: readonly Dimension[]
  /** Custom SQL definitions. If `isPublished`, a sync stores the definitions in the file for everyone who opens it. */
  readonly sql?: { readonly folder: string; readonly isPublished: boolean } | undefined
}

const daily = [1, 2, 3, 4, 5, 6, 7]

/** Settings of an empty configuration. */
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
