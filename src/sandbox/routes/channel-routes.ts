import { createHash } from 'node:crypto'
import type { Channel } from '../../contract/channel.ts'
import { operations, type RequestOf } from '../../contract/index.ts'
import type { Int64 } from '../../contract/int64.ts'
import { notFound } from '../responses.ts'
import type { Account } from '../store/world.ts'
import type { Handlers } from './handler.ts'

type Setting = Exclude<keyof RequestOf<'channel/update'>, 'channel_id'>

const SETTINGS = Object.keys(operations['channel/update'].request.shape).filter(
  (name) => name !== 'channel_id',
) as Setting[]

export const channelHandlers: Handlers<'channel'> = {
  'channel/create'(request, { world: { account }, clock, caller }) {
    checkTeams(account, request)
    const channel_id = freeId(account)
    return () => {
      const now = clock.now()
      account.channels.set(channel_id, {
        channel_id,
        channel_name: request.channel_name,
        status: 'enabled',
        team_id: request.team_id,
        ...given(request),
        creator_id: caller.member_id,
        created_at: now,
        updated_at: now,
      })
      return { channel_id, channel_name: request.channel_name }
    }
  },

  'channel/update'(request, { world: { account }, clock, seed }) {
    const channel = existing(account, request.channel_id)
    checkTeams(account, request)
    return () => {
      Object.assign(channel, given(request), { updated_at: clock.now() })
      const isOpened = request.is_external_report_enabled === true
      return { external_report_token: isOpened ? reportToken(seed, channel.channel_id) : '' }
    }
  },

  'channel/info'({ channel_id }, { world: { account } }) {
    const channel = account.channels.get(channel_id)
    if (channel === undefined) throw notFound(`channel ${channel_id}`)
    return channel
  },

  // Enabling an enabled channel succeeds without a change.
  'channel/enable'({ channel_id }, { world: { account }, clock }) {
    const channel = existing(account, channel_id)
    return () => {
      if (channel.status === 'disabled') {
        channel.status = 'enabled'
        channel.updated_at = clock.now()
        account.routingSince.set(channel.channel_id, clock.now())
      }
      return {}
    }
  },

  'channel/unsubscribe/rule/enable'({ channel_id, rule_id }, { world: { account } }) {
    existing(account, channel_id)
    const rule = account.exclusionRules.get(rule_id.toLowerCase())
    if (rule === undefined || rule.channel_id !== channel_id) throw notFound(`exclusion rule ${rule_id}`)
    return () => {
      rule.status = 'enabled'
      return {}
    }
  },
}

function existing(account: Account, id: Int64): Channel {
  const channel = account.channels.get(id)
  if (channel === undefined || channel.status === 'deleted') throw notFound(`channel ${id}`)
  return channel
}

function checkTeams(
  account: Account,
  request: Pick<RequestOf<'channel/update'>, 'team_id' | 'managing_team_ids'>,
): void {
  const teams = [...(request.team_id == null ? [] : [request.team_id]), ...(request.managing_team_ids ?? [])]
  for (const id of teams) if (!account.teams.has(id)) throw notFound(`team ${id}`)
}

/** Returns the settings in a request. A setting of null counts as absent. */
function given(request: RequestOf<'channel/update'> | RequestOf<'channel/create'>): Partial<Channel> {
  return Object.fromEntries(
    SETTINGS.flatMap((name) =>
      request[name] === null || request[name] === undefined ? [] : [[name, request[name]]],
    ),
  )
}

/** Returns an unused id. Channels are never removed, so their number determines the next id. */
function freeId(account: Account): Int64 {
  let id = 3_521_074_710_138 + account.channels.size * 1_000
  while (account.channels.has(id)) id++
  return id
}

function reportToken(seed: number, channelId: Int64): string {
  return createHash('sha256').update(`${seed}:report:${channelId}`).digest('hex').slice(0, 32)
}
