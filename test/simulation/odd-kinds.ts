import type { Incident } from '../../dist/contract/incident.js'
import type { Chance } from './chance.ts'
import type { Company } from './company.ts'
import { begin, beginPostMortem, close, DAY } from './life.ts'
import {
  answersOfDaysAgo,
  cappedSearch,
  failing,
  html,
  isList,
  type List,
  padded,
  rowsOf,
  type Twist,
  withData,
} from './odd-answers.ts'
import type { Answer, Asked } from './odd-service.ts'
import { newChannel, newMember } from './records.ts'

export type Cost = 'nothing' | 'a record' | 'proof' | 'the night'

interface Kind {
  /** The data that a sync may lack if nothing else fails: a record, the proof of completeness, or a whole night. */
  readonly costs: Cost
  /** Starts the abnormal responses. @returns undefined if the company has no suitable record */
  readonly begin: (
    company: Company,
    chance: Chance,
    seed: number,
  ) => Twist | undefined | Promise<Twist | undefined>
}

/** Makes one post-mortem or channel unreadable. */
function onOneId(answer: (asked: Asked, answer: Answer) => Answer, isForGood = false): Kind {
  return {
    costs: 'a record',
    begin(company, chance) {
      const target = chance.is(0.6) ? postMortemFor(company, chance) : channelFor(company, chance)
      if (target === undefined) return undefined
      const { table, id, operation, field } = target
      return {
        refused: [`${table} ${id}`],
        isForGood,
        answer: (asked, own) =>
          asked.operation === operation && String(asked.body[field]) === id ? answer(asked, own) : undefined,
      }
    },
  }
}

/** Returns a post-mortem that the sync of this night will request: an existing draft, or a new one. */
function postMortemFor(company: Company, chance: Chance) {
  const drafts = company.post_mortems.records().filter(({ meta }) => meta.status === 'draft')
  const place = {
    table: 'post_mortems',
    operation: 'incident/post-mortem/info',
    field: 'post_mortem_id',
  } as const
  if (drafts.length > 0 && chance.is(0.5)) return { ...place, id: chance.of(drafts).meta.post_mortem_id }
  const incident = youngOf(company, chance, ({ post_mortem_id }) => post_mortem_id === '')
  return incident && { ...place, id: beginPostMortem(company, incident) }
}

/** Returns a channel that the sync of this night may request: an existing one, or a new one. */
function channelFor(company: Company, chance: Chance) {
  const place = { table: 'channels', operation: 'channel/info', field: 'channel_id' } as const
  const channels = company.channels.records()
  if (chance.is(0.5)) return { ...place, id: String(chance.of(channels).channel_id) }
  const channel = newChannel(company.next(), Number(chance.of(channels).team_id), company.now)
  company.put('channels', Number(channel.channel_id), channel)
  const { channel_id, channel_name } = channel
  company.edit(begin(company, chance, company.now - 3_600), { channel_id, channel_name })
  return { ...place, id: String(channel_id) }
}

/** Returns a recent incident, which every sync reads. */
function youngOf({ incidents, now }: Company, { of }: Chance, is: (one: Incident) => boolean = () => true) {
  const young = incidents.records().filter((one) => Number(one.start_time) > now - 25 * DAY && is(one))
  return young.length === 0 ? undefined : of(young)
}

/** Makes every page unreadable that contains a certain recent incident. */
function onOneIncident(answer: (answer: Answer, id: string) => Answer, untilChanged = false): Kind {
  return {
    costs: 'a record',
    begin(company, chance) {
      const incident = youngOf(company, chance)
      if (incident === undefined) return undefined
      const id = incident.incident_id
      const isOdd = () => !untilChanged || company.incidents.get(id) === incident
      return {
        get refused() {
          return isOdd() ? [`incidents ${id}`] : []
        },
        answer: (asked, own) =>
          isList(asked) && isOdd() && own.text.includes(`"incident_id":"${id}"`)
            ? answer(own, id)
            : undefined,
        end() {
          if (untilChanged && isOdd()) company.edit(incident, { impact: 'Changed, so that it can be read.' })
        },
      }
    },
  }
}

/** Passes each response of one night to `change`, and sends the response that `change` returns, if any. */
const onEach = (change: (asked: Asked, answer: Answer) => Answer | undefined): Kind => ({
  costs: 'nothing',
  begin: () => ({ answer: change }),
})

/** Reduces lists to 10 rows per page, so that even a small company has several pages in a window. */
const shortPages = (asked: Asked) => (isList(asked) ? { ...asked.body, limit: 10 } : asked.body)

/** Number of rows above which a page is too large or too slow. */
const ROWS_MOST = 20

export const KINDS = {
  'a private record': onOneId(failing(403, 'AccessDenied'), true),
  'another word for not found': onOneId(failing(404, 'ReportNotExist')),
  'an id that always fails': onOneId(failing(500, 'InternalError')),
  'a record too large': onOneId((_, answer) => padded(answer)),
  'an incident too large': onOneIncident(padded),
  'an incident that is not JSON': onOneIncident(
    (answer, id) => ({ ...answer, text: answer.text.replace(`"incident_id":"${id}"`, `$&,"odd":NaN`) }),
    true,
  ),
  'a batch with a deleted team': {
    costs: 'nothing',
    begin(company, { of }) {
      const named = new Set(company.channels.records().map(({ team_id }) => String(team_id)))
      const teams = company.teams.records().filter(({ team_id }) => named.has(String(team_id)))
      if (teams.length < 3) return undefined
      company.remove('teams', Number(of(teams).team_id))
      const isGone = (id: unknown) => company.teams.get(String(id)) === undefined
      return {
        answer: (asked, own) =>
          asked.operation === 'team/infos' && (asked.body.team_ids as unknown[]).some(isGone)
            ? failing(400, 'ResourceNotFound')(asked, own)
            : undefined,
      }
    },
  },
  'pages too large': onEach((asked, answer) =>
    isList(asked) && rowsOf(answer) > ROWS_MOST ? padded(answer) : undefined,
  ),
  'pages too slow': onEach((asked, answer) =>
    isList(asked) && rowsOf(answer) > ROWS_MOST ? html(answer, 504) : undefined,
  ),
  'cursors that expire': {
    costs: 'nothing',
    begin(_, { whole }) {
      const age = whole(0, 4)
      const born = new Map<string, number>()
      return {
        ask: shortPages,
        answer(asked, own) {
          const { search_after_ctx: cursor } = asked.body as { search_after_ctx?: string }
          if (cursor !== undefined && asked.count - (born.get(cursor) ?? 0) > age)
            return failing(400, 'InvalidParameter')(asked, own)
          const next = /"search_after_ctx":"([^"]+)"/.exec(own.text)?.[1]
          if (next !== undefined) born.set(next, asked.count)
          return undefined
        },
      }
    },
  },
  'a first member without a name': {
    costs: 'a record',
    begin(company) {
      const first = [...company.members.records()].sort(
        (a, b) => Number(a.created_at) - Number(b.created_at),
      )[0]!
      return {
        refused: [`members ${first.member_id}`],
        answer: (asked, own) =>
          asked.operation === 'member/list'
            ? withData(own, (data: List) => ({
                ...data,
                // `faultline check` requests a list of one member.
                items: data.items.map((one) =>
                  asked.body.limit === 1 || String(one.member_id) === String(first.member_id)
                    ? { ...one, member_name: null }
                    : one,
                ),
              }))
            : undefined,
      }
    },
  },
  'a guest comes first': {
    // A sync never verifies a window that contains records of another account.
    costs: 'proof',
    begin: () => ({
      answer: (asked, own) =>
        asked.operation === 'member/list'
          ? withData(own, (data: List) => ({
              ...data,
              total: Number(data.total) + 1,
              items:
                Number(asked.body.p ?? 1) > 1
                  ? data.items
                  : [GUEST, ...data.items].slice(0, Number(asked.body.limit)),
            }))
          : undefined,
    }),
  },
  'a capped search': {
    costs: 'nothing',
    begin(company, chance) {
      // Adds the incidents only once, because they remain and every night reads them again.
      if (company.incidents.records().length > 2_000) return undefined
      const at = company.now - chance.whole(2, 20) * DAY
      for (let k = 0; k < 1_040; k++)
        close(company, chance, begin(company, chance, at + chance.whole(0, 40_000)))
      return cappedSearch()
    },
  },
  'answers of days ago': {
    costs: 'the night',
    begin: answersOfDaysAgo,
  },
} as const satisfies Readonly<Record<string, Kind>>

export type OddKind = keyof typeof KINDS

const GUEST = {
  ...newMember(77_777_777, 1_600_000_000),
  account_id: 999,
  is_external: true,
  member_name: 'Guest',
}
