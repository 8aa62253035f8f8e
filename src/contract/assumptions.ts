/** Assumptions about what the API document leaves open. Documented facts are in the other files. */

/** /incident/list: in page mode, `p × limit` must not exceed this. Cursors have no depth limit. */
export const PAGE_DEPTH_MAX = 10_000

/** /incident/list: `total` is exact below this number and never exceeds it, so it cannot show how long a list is. */
export const TOTAL_EXACT_BELOW = 1_000

/** /incident/list: the service might refuse exactly 31 days, so readers request one second less. */
export const SAFE_LIST_WINDOW_S = 31 * 86_400 - 1

/** /incident/comment: maximum length of a trimmed comment in characters, and maximum number of incidents per call. */
export const COMMENT_LENGTH_MAX = 1_024
export const COMMENT_INCIDENTS_MAX = 100

/** GET /incident/post-mortem/info: the name of the query parameter. */
export const POST_MORTEM_PARAMETER = 'post_mortem_id'

/** /role/member/revoke: maximum number of members per call. */
export const REVOKE_MEMBERS_MAX = 100

/** /member/list: default page size. */
export const MEMBER_LIMIT_DEFAULT = 100

/** /calendar/create: maximum number of personal calendars, and the default time zone. */
export const CALENDARS_MAX = 5
export const CALENDAR_ZONE_DEFAULT = 'Asia/Shanghai'

/** /channel/create, /channel/update: the values of `group`, and the ranges of `flapping`. */
export const GROUP_METHODS = ['i', 'p', 'n'] as const
export const GROUP_WINDOW_TYPES = ['tumbling', 'sliding'] as const
export const FLAPPING_MAX_CHANGES = { min: 2, max: 100 } as const
export const FLAPPING_IN_MINS = { min: 1, max: 1_440 } as const
export const FLAPPING_MUTE_MINS = { min: 0, max: 1_440 } as const

/** /template/delete: the id of the system preset, which cannot be deleted. */
export const PRESET_TEMPLATE_ID = '000000000000000000000001'

/** Built-in roles, which cannot be disabled. */
export const BUILT_IN_ROLES = { Admin: 2, Responder: 6, Viewer: 8 } as const

/** /monit/rule/status: for a folder with more rules than this, the count of triggered rules is omitted. */
export const FOLDER_RULES_MAX = 5_000

/** Maximum size of a request body, in bytes. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024
