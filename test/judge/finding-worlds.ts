import { seeded } from '../support/random.ts'

/** Changes that may be planted in a company. `nothing` leaves it unchanged. */
export const plants = [
  'a tripled source',
  'a silent goal',
  'a slower team',
  'nights on one person',
  'nothing',
  'a slow team',
  'one alert',
  'a timer',
  'incidents that nobody closes',
  'a silent team',
  'a renamed severity',
] as const
/** Further changes, for which only the first sentence is tested. */
export const morePlants = [
  'a spike',
  'a silent company',
  'new teams',
  'a missed objective',
  'a changed severity mix',
  'missing post-mortems',
  'a moved channel',
  'a gap that ended',
  'a silent severity',
] as const
export type Plant = (typeof plants)[number] | (typeof morePlants)[number]

const DAY = 86_400
const WEEK = 7 * DAY
/** The data was read on Monday, 2 November 2026, at noon. A period of 13 weeks ends on that day. */
export const readAt = Date.UTC(2026, 10, 2, 12) / 1000
const monday = Date.UTC(2026, 10, 2) / 1000
/** Twelve weeks of history, then two periods of 13 weeks. */
const WEEKS = 38

const teams = ['Checkout', 'Data', 'Identity', 'Payments', 'Platform', 'Search']
/** Relative rate by hour of the day. */
const hours = [4, 3, 3, 3, 4, 5, 7, 10, 14, 16, 17, 16, 14, 15, 16, 16, 14, 12, 10, 8, 8, 7, 6, 5]
const kinds = [
  { severity: 'Critical', part: 0.08, ack: 90, resolve: 2_400 },
  { severity: 'Warning', part: 0.32, ack: 240, resolve: 7_200 },
  { severity: 'Info', part: 0.6, ack: 900, resolve: 14_400 },
]

/** A company as lists of `Content` (see `support/world.ts`), and the expected start of its lead. */
export interface FindingWorld {
  readonly content: Readonly<
    Record<
      'incidents' | 'responders' | 'channels' | 'channelVersions' | 'teams' | 'members' | 'runs' | 'windows',
      Record<string, unknown>[]
    >
  >
  /** Null if no change was planted. */
  readonly named: RegExp | null
}

/**
 * 38 weeks of six teams of different sizes, with over-dispersed weeks (variance 2 to 3 times the mean), a daily and
 * weekly rhythm, weekly rotas, four in five incidents handled by people, and met targets. The change is planted in the
 * last 13 weeks.
 */
export function findingWorld(plant: Plant, seed: number): FindingWorld {
  const company = companyOf(plant, seed)
  const { normal, next } = company.chance
  const usual = company.channels.reduce((sum, { weight }) => sum + weight, 0)
  const incidents: Record<string, unknown>[] = []
  const responders: Record<string, unknown>[] = []
  for (let week = 0; week < WEEKS; week++) {
    const isNow = week >= WEEKS - 13
    const common = Math.exp(0.1 * normal())
    const weights = company.channels.map(({ weight }, place) => {
      const planted = plant === 'a tripled source' && isNow && place === company.source ? 3 : 1
      return weight * planted * common * Math.exp(0.2 * normal())
    })
    for (const place of company.channels.keys()) {
      if (isSilent(company, week, place)) continue
      const isSpike = plant === 'a spike' && week === WEEKS - 5 && place === company.source
      const count = poisson((company.perWeek * weights[place]!) / usual, next) + (isSpike ? 400 : 0)
      for (let k = 0; k < count; k++) {
        const { incident, responder } = happened(company, { week, isNow, place, number: incidents.length })
        if (plant === 'a silent severity' && week >= WEEKS - 6 && incident.incident_severity === 'Warning')
          continue
        responders.push(responder)
        incidents.push(incident)
      }
    }
  }
  return { content: { incidents, responders, ...namesOf(company) }, named: namedBy(company)[plant] }
}

function isSilent({ plant, channels, team }: Company, week: number, place: number) {
  const own = channels[place]!.team
  if (plant === 'a silent team') return week >= WEEKS - 6 && own === team
  if (plant === 'a gap that ended') return week >= WEEKS - 9 && week < WEEKS - 5 && own === team
  if (plant === 'a silent company') return week >= WEEKS - 3
  return plant === 'new teams' && week < WEEKS - 10 && [0, 2, 4].includes((own - team + 6) % 6)
}

function chanceOf(plant: Plant, seed: number) {
  const next = seeded(seed * 7_919 + [...plants, ...morePlants].indexOf(plant))
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const pick = (weights: readonly number[]) => {
    let left = next() * weights.reduce((sum, one) => sum + one, 0)
    return weights.findIndex((one) => {
      left -= one
      return left < 0
    })
  }
  return { next, normal, pick }
}

function companyOf(plant: Plant, seed: number) {
  const chance = chanceOf(plant, seed)
  const channels = teams.flatMap((team, t) =>
    Array.from({ length: 2 + ((t + seed) % 3) }, (_, k) => ({
      team: t,
      name: `${team.toLowerCase()}-${['api', 'jobs', 'web', 'db'][k]}`,
      weight: (0.5 + chance.next()) * (t === seed % 6 ? 2.5 : 1),
    })),
  )
  const crews = teams.map((_, t) =>
    Array.from({ length: 4 + ((t * 5 + seed) % 3) }, (_, k) => 100 * (t + 1) + k),
  )
  // A channel of medium size.
  const bySize = channels.map((_, place) => place).sort((a, b) => channels[a]!.weight - channels[b]!.weight)
  const source = bySize[Math.floor(channels.length / 2)]!
  const team = (seed * 5 + 2) % 6
  return { plant, chance, channels, crews, source, team, perWeek: 120 + 100 * chance.next() }
}

type Company = ReturnType<typeof companyOf>

interface Which {
  week: number
  isNow: boolean
  place: number
  number: number
}

function happened(
  { plant, chance, channels, crews, team, source }: Company,
  { week, isNow, place, number }: Which,
) {
  const { next, normal, pick } = chance
  const channel = channels[place]!
  // Warning and Info change places in the middle of the period.
  const isMixed = plant === 'a changed severity mix' && isNow
  const moved = isMixed ? (week < WEEKS - 7 ? -0.12 : 0.12) : 0
  const kind = kinds[pick(kinds.map(({ part }, place) => part + [0, moved, -moved][place]!))]!
  const isRenamed = plant === 'a renamed severity' && week >= WEEKS - 6 && kind.severity === 'Critical'
  const isNightly = plant === 'one alert' && next() < 0.45
  const isSpike = plant === 'a spike' && week === WEEKS - 5 && place === source && next() < 0.9
  const day = isSpike ? 2 : pick([1.2, 1.3, 1.2, 1.2, 1.1, 0.6, 0.55])
  const start = Math.floor(
    monday - (WEEKS - week) * WEEK + day * DAY + ((isNightly ? 2 : pick(hours)) + next()) * 3_600,
  )
  const isTimed = plant === 'a timer' && next() < 0.5
  const isOpen = plant === 'incidents that nobody closes' && next() < 0.13
  const isHandled = !isTimed && next() < 0.8
  const slow = plant === 'a slower team' && isNow && channel.team === team ? 2 : 1
  const isLate =
    plant === 'a silent goal' || (plant === 'a missed objective' && isNow && channel.team === team)
  const late = isLate && next() < 0.35 ? 30 : 1
  const behind = plant === 'a slow team' && channel.team === team ? 4 : 1
  const ack = start + Math.ceil(kind.ack * behind * late * slow ** 0.5 * Math.exp(0.4 * normal()))
  const close = isTimed
    ? start + 300
    : Math.max(ack, start + Math.ceil(kind.resolve * slow * Math.exp(0.8 * normal())))
  const title = `${channel.name}: latency above its objective`
  const isReviewed = plant === 'missing post-mortems' && kind.severity === 'Critical' && next() < 0.3
  const incident_id = String(number).padStart(24, '0')
  const crew = crews[channel.team]!
  const hour = new Date(start * 1_000).getUTCHours()
  const turn = crew[(week + channel.team) % crew.length]!
  const isOnOne =
    plant === 'nights on one person' && isNow && (hour >= 23 || hour < 8) && channel.team === team
  const person_id =
    isOnOne && next() < 0.9 ? crew[0]! : next() < 0.85 ? turn : crew[Math.floor(next() * crew.length)]!
  return {
    responder: { incident_id, ordinal: 0, person_id, assigned_at: start + 20, acknowledged_at: ack },
    incident: {
      ...{ incident_id, num: `INC-${number}`, title: isNightly ? 'Nightly run of ledger-writer' : title },
      incident_severity: isRenamed ? 'Warning' : kind.severity,
      ...{ start_time: start, ack_time: isTimed ? 0 : ack, close_time: isOpen ? 0 : close },
      ...{ end_time: isOpen ? 0 : close, progress: isOpen ? 'Processing' : 'Closed' },
      ...{ created_at: start, updated_at: close, post_mortem_id: isReviewed ? `p${number}` : '' },
      ...{ closer_id: isHandled ? turn : 0, creator_id: 0 },
      ...{ alert_cnt: 1, alert_event_cnt: 1 + Math.floor(next() * 9) },
      ...{ channel_id: place + 1, channel_name: channel.name },
      ...{ integration_type: 'prometheus', integration_id: 1, ever_muted: false, account_time_zone: 'UTC' },
    },
  }
}

/** The channel moved on 28 September 2026, a Monday. */
const moved = { updated_at: monday - 5 * WEEK, _seen_at: monday - 5 * WEEK + 3_600 }
const seen = { updated_at: monday - WEEKS * WEEK, _seen_at: monday - WEEKS * WEEK }
const formerOf = ({ team }: { readonly team: number }) => (team + 1) % teams.length

function namesOf({ plant, source, channels, crews }: Company) {
  const read = { run_id: 1, resource: 'incidents', state: 'done' }
  return {
    channels: channels.map((channel, place) => ({
      channel_id: place + 1,
      channel_name: channel.name,
      team_id: channel.team + 1,
      ...(plant === 'a moved channel' && place === source ? moved : seen),
    })),
    channelVersions:
      plant === 'a moved channel'
        ? [
            {
              channel_id: source + 1,
              channel_name: channels[source]!.name,
              team_id: formerOf(channels[source]!) + 1,
              ...seen,
              _replaced_at: moved._seen_at,
            },
          ]
        : [],
    teams: teams.map((team_name, place) => ({ team_id: place + 1, team_name })),
    members: crews.flat().map((member_id) => ({ member_id, member_name: `Person ${member_id}` })),
    runs: [{ run_id: 1, status: 'ok', finished_at: readAt, as_of_at: readAt }],
    windows: [{ ...read, window_start: monday - WEEKS * WEEK, window_end: readAt }],
  }
}

/** The expected start of a lead by plant. */
function namedBy({ channels, source, team }: Company): Record<Plant, RegExp | null> {
  const name = (place: number) => channels[place]!.name.replace('-', '\\-')
  return {
    'a tripled source': new RegExp(`^(\\d+ of the \\d+ incidents|Incidents) from ${name(source)}[: ]`),
    'a silent goal': /incidents were acknowledged within target \(objective: .*; also missed before\)/,
    'a slower team': new RegExp(`^${teams[team]} took `),
    'nights on one person': new RegExp(`^One of \\d+ people in ${teams[team]} received `),
    nothing: null,
    'a slow team': new RegExp(
      `^${teams[team]} takes \\d+\\smin to acknowledge; the other teams [\\d–]+\\smin`,
    ),
    'one alert': /^[\d,]+ of [\d,]+ incidents are one alert, at 02:00: Nightly run of ledger-writer\.$/,
    'a timer':
      /^([\d,]+) of [\d,]+ closed incidents were closed after exactly 5\smin, which looks like a timer\.$/,
    'incidents that nobody closes': /^[\d,]+ of [\d,]+ incidents are still open a week after they started\.$/,
    'a silent team': new RegExp(`^No incidents recorded from ${teams[team]} since \\d+\\s\\w+ \\(`),
    'a renamed severity':
      /^Since \d+\s\w+, no incident is Critical, but the total is unchanged and Warning grew\./,
    'a spike': new RegExp(
      `^Spike on 30\\sSep: \\d+ incidents \\(usual: [\\d.]+ per week\\), nearly all from ${name(source)}[.;]`,
    ),
    'a silent company': /^No incidents recorded since \d+\s\w+ \(/,
    'new teams':
      /^\w+, \w+ and \w+(, new since 2[4-9]\sAug, account for [\d,]+ of [\d,]+ additional| are new since 2[4-9]\sAug: [\d,]+) incidents\.$/,
    'a missed objective': new RegExp(
      `^${teams[team]} acknowledged \\d+% of its incidents within target|^\\d+% of incidents were acknowledged within target|^${teams[team]} took `,
    ),
    'a changed severity mix':
      /^The severity mix changed within the period: (Warning rose|Info fell) from \d+% to \d+% of incidents\.$/,
    'a moved channel': new RegExp(
      `^The channel ${name(source)} moved from ${teams[formerOf(channels[source]!)]} to ${teams[channels[source]!.team]} on 28\\sSep \\(\\d+ incidents since\\)\\.$`,
    ),
    'a gap that ended': new RegExp(
      `^Incidents from ${teams[team]} have been recorded again since \\d+\\s\\w+, after \\d+ days without any \\(usual: [\\d.]+ per week\\)\\.$`,
    ),
    'a silent severity': /^No incidents recorded as Warning since \d+\s\w+ \(/,
    'missing post-mortems':
      /^\d+ of \d+ Critical incidents closed more than a week ago have no post-mortem\.$/,
  }
}

function poisson(mean: number, next: () => number): number {
  let n = 0
  for (let left = Math.exp(-mean), product = next(); product > left; product *= next()) n++
  return n
}
