/** Seconds; null where nothing is promised. */
interface Target {
  readonly severity: string
  readonly ack_target_s: number | null
  readonly resolve_target_s: number | null
  /** Share of incidents, 0 to 1, that is to be within the target. */
  readonly ack_goal: number | null
  readonly resolve_goal: number | null
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

/**
 * Targets, hours, thresholds and policies as the rows of the warehouse's `config_*` tables. The
 * configuration makes them; views and SQL of users join them.
 */
export interface Settings {
  readonly targets: readonly Target[]
  readonly bands: readonly Band[]
  /** Local days, `2026-12-25`. */
  readonly holidays: readonly { readonly day: string; readonly name: string }[]
  /** `person_id` as text, since ids may be longer than a number is exact. */
  readonly personZones: readonly { readonly person_id: string; readonly timezone: string }[]
  /** Hours a week that somebody of a team is on call; two people at once count twice. */
  readonly onCall: readonly { readonly team_name: string; readonly hours_per_week: number }[]
  readonly policies: readonly { readonly name: string; readonly value: string }[]
  /** Names that end in `_s` are seconds, in `_n` counts, in `_share` parts of 1. */
  readonly thresholds: readonly { readonly name: string; readonly value: number }[]
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
  bands: [
    { band: 'sleep', weekdays: daily, from_hour: 23, to_hour: 24, rank: 1 },
    { band: 'sleep', weekdays: daily, from_hour: 0, to_hour: 8, rank: 1 },
    { band: 'work', weekdays: [1, 2, 3, 4, 5], from_hour: 8, to_hour: 19, rank: 2 },
    { band: 'off', weekdays: daily, from_hour: 0, to_hour: 24, rank: 3 },
  ],
  holidays: [],
  personZones: [],
  onCall: [],
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
}
