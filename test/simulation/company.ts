import type { Channel } from '../../dist/contract/channel.js'
import type { Incident } from '../../dist/contract/incident.js'
import { stringifyJson } from '../../dist/contract/json.js'
import type { Member, Team } from '../../dist/contract/organization.js'
import type { PostMortem } from '../../dist/contract/post-mortem.js'
import { type Account, type Incidents, keyedBy, type World } from '../../dist/sandbox/store/world.js'
import { buildCallers, buildRoles } from '../../dist/sandbox/world/roles.js'
import { Chronicle } from './chronicle.ts'
import { ACCOUNT } from './records.ts'

/** Types of a company's records, by the warehouse table that stores them. */
interface Records {
  incidents: Incident
  members: Member
  teams: Team
  channels: Channel
  post_mortems: PostMortem
}
export type Kind = keyof Records
const KINDS: readonly Kind[] = ['incidents', 'members', 'teams', 'channels', 'post_mortems']

/**
 * A simulated company whose records change over time. Keeps the current records for its service, and all earlier
 * versions.
 */
export class Company {
  readonly incidents = new Chronicle<Incident>()
  readonly members = new Chronicle<Member>()
  readonly teams = new Chronicle<Team>()
  readonly channels = new Chronicle<Channel>()
  readonly post_mortems = new Chronicle<PostMortem>()
  /** Ids of incidents that stay open for months. */
  readonly leftOpen = new Set<string>()
  /** The number of changes so far. Two of these numbers select the changes between them. */
  moment = 0
  #now: number
  /** Earlier times of the service, each with the number of changes (`moment`) up to then. */
  readonly #clock: { readonly now: number; readonly moment: number }[] = []
  readonly #account: Account
  #numbers = 0

  constructor(now: number) {
    this.#now = now
    const callers = buildCallers(ACCOUNT, 900_000, 1)
    this.#account = {
      account_id: ACCOUNT,
      channels: new Map(),
      exclusionRules: new Map(),
      teams: new Map(),
      members: new Map(),
      callers: keyedBy(callers, 'member_id'),
      roles: keyedBy(buildRoles(), 'role_id'),
      templates: new Map(),
      calendars: new Map(),
      schedules: new Map(),
      folders: new Map([[1, { folder_id: 1, folder_name: 'All', parent_id: 0 }]]),
      rules: new Map(),
      routingSince: new Map(),
    }
  }

  /** The time of the service, Unix seconds. */
  get now(): number {
    return this.#now
  }

  set now(now: number) {
    this.#clock.push({ now: this.#now, moment: this.moment })
    this.#now = now
  }

  /** Returns a copy of the company as of the last day up to `time`, or undefined if the company is younger. */
  asOf(time: number): Company | undefined {
    const then = this.#clock.findLast(({ now }) => now <= time)
    if (then === undefined) return undefined
    const past = new Company(then.now)
    for (const kind of KINDS)
      for (const id of this[kind].ids()) {
        const record = this[kind].between(id, then.moment, then.moment)[0]?.record
        if (record) past.put(kind, id, record as never)
      }
    return past
  }

  next(): number {
    return ++this.#numbers
  }

  put<K extends Kind>(kind: K, id: string | number, record: Records[K]): void {
    this.#chronicle(kind).put(String(id), record, ++this.moment)
    this.#serve(kind, (live) => live.set(Number(id), record))
  }

  remove(kind: Kind, id: string | number): void {
    this.#chronicle(kind).remove(String(id), ++this.moment)
    this.#serve(kind, (live) => live.delete(Number(id)))
  }

  /** Changes fields of an incident. Unless `isSilent`, `updated_at` changes too. */
  edit(incident: Incident, fields: Partial<Incident>, isSilent = false): Incident {
    const edited = { ...incident, ...fields, ...(isSilent ? {} : { updated_at: this.now }) }
    this.put('incidents', edited.incident_id, edited)
    return edited
  }

  /** Returns how many records were removed since a moment, for the kind with the most removals. */
  mostGoneSince(moment: number): number {
    const kinds = [this.incidents, this.members, this.teams, this.channels, this.post_mortems]
    const lost = kinds.map(
      (one) =>
        [...one.ids()].filter((id) => one.get(id) === undefined && one.between(id, moment, moment)[0]?.record)
          .length,
    )
    return Math.max(...lost)
  }

  world(): World {
    const given = (id: string) => this.post_mortems.get(id)
    return {
      account: this.#account,
      incidents: this.#listed(),
      alert: () => undefined,
      alertIds: () => [],
      postMortem: given,
      postMortemIds: (most) => [...this.post_mortems.ids()].filter(given).slice(0, most),
    }
  }

  /** Cached incidents in the order in which the service lists them. Undefined after a change. */
  #sorted: readonly Incident[] | undefined

  #order(): readonly Incident[] {
    this.#sorted ??= this.incidents
      .records()
      .sort((a, b) => Number(a.start_time) - Number(b.start_time) || (a.incident_id < b.incident_id ? -1 : 1))
    return this.#sorted
  }

  #listed(): Incidents {
    const at = (index: number) => this.#order()[index]!
    return {
      count: () => this.#order().length,
      startOf: (index) => Number(at(index).start_time),
      idOf: (index) => at(index).incident_id,
      isListed: () => true,
      isClosedForGood: () => false,
      record: at,
      json: (index) => stringifyJson(at(index)),
      find: (id) => {
        const index = this.#order().findIndex(({ incident_id }) => incident_id === id)
        return index === -1 ? undefined : index
      },
    }
  }

  #chronicle<K extends Kind>(kind: K): Chronicle<Records[K]> {
    return this[kind] as unknown as Chronicle<Records[K]>
  }

  /** Replaces the map instead of changing it, because the service sorts its members only once for each map. */
  #serve(kind: Kind, change: (live: Map<number, unknown>) => void) {
    this.#sorted = undefined
    const account = this.#account as unknown as Record<string, Map<number, unknown> | undefined>
    const live = account[kind]
    if (live === undefined) return
    const next = new Map(live)
    change(next)
    account[kind] = next
  }
}
