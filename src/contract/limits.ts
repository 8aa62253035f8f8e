/** Maximum number of requests per account in any sliding window. Exceeding either limit causes RequestTooFrequently. */
export const RATE_LIMITS = [
  { requests: 50, windowMs: 1_000 },
  { requests: 1_000, windowMs: 60_000 },
] as const

/** Longest window that /incident/list accepts, in seconds. */
export const LIST_WINDOW_S = 31 * 86_400

export const PAGE_LIMIT_DEFAULT = 20
export const PAGE_LIMIT_MAX = 100
export const MEMBER_LIMIT_MAX = 100
export const TEAM_IDS_MAX = 100
export const MANAGING_TEAMS_MAX = 3
export const AUTO_RESOLVE_TIMEOUT_MAX_S = 2_592_000
