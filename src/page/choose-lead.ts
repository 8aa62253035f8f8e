import type { Report } from '../report/parse/parse.ts'
import { NO_CHANNEL, type SaidFinding } from './sentences/sentence-parts.ts'
import { teamOf } from './sentences/team-sentences.ts'

const LEAD_MOST = 3
/** Maximum number of teams with a sentence in the lead. */
export const TEAMS_MOST = 5

const classes = ['action', 'data', 'change', 'standing', 'good'] as const

/** If nobody has ever acknowledged an incident, this is a fact about the company, not a data problem. */
export function classOf({
  kind,
  topic,
  isStanding,
  isWorse,
}: Pick<SaidFinding, 'kind' | 'topic' | 'isStanding' | 'isWorse'>): (typeof classes)[number] {
  if (kind === 'unattended') return 'action'
  if (topic !== 'unused' && ['data', 'gap', 'moved', 'renamed'].includes(kind)) return 'data'
  if (isStanding || topic === 'unused' || kind === 'concentrated') return 'standing'
  return isWorse ? 'change' : 'good'
}

/** The findings of the lead, and the reasons why other findings are not in it. */
export interface ChosenLead {
  readonly lead: readonly SaidFinding[]
  readonly reasons: ReadonlyMap<SaidFinding, string>
}

/** Whether the lead has one finding for each team, because a table of the report shows the findings of each team. */
export const isByTeam = ({ pieces }: Report): boolean =>
  pieces.some(
    (piece) => piece.kind === 'table' && piece.body.columns?.some(({ findings }) => findings !== null),
  )

/** Returns the known team that a finding for the worse is about. Otherwise null. */
export function worseTeamOf(one: SaidFinding): string | null {
  const team = one.isWorse ? teamOf(one) : null
  return team === NO_CHANNEL ? null : team
}

/**
 * Chooses the findings of the lead in order of `classes`, at most one per subject. One place is reserved for a lasting
 * fact (class `standing`) or good news. Reports about open incidents contain only findings about open incidents and
 * about data, and other reports contain none about open incidents. An alert that causes most incidents is named once:
 * with the increase that it explains if its start is known, and otherwise alone. In a report by team, data problems come
 * first, and the findings about no team are followed by one finding for each of up to five teams.
 */
export function chooseLead(
  listed: readonly SaidFinding[],
  report: Report,
  topics: readonly string[] | undefined,
): ChosenLead {
  const reasons = new Map<SaidFinding, string>()
  const keep = keeperOf(reasons)
  const news = newsOf(listed, report, topics, keep)
  // If everybody misses an objective because of one slow team, the objective comes after the finding about this team.
  const slow = new Set(
    news.filter(({ kind }) => kind === 'apart' || kind === 'behind').map(({ subject }) => subject),
  )
  const classed = (one: SaidFinding) =>
    one.kind === 'goal' && one.detail !== null && slow.has(one.detail) ? 'standing' : classOf(one)
  const isTeams = isByTeam(report)
  const order = isTeams
    ? classes.toSorted((one, other) => Number(other === 'data') - Number(one === 'data'))
    : classes
  const byClass = order.flatMap((name) => news.filter((one) => classed(one) === name))
  const once = keep(
    byClass,
    'same subject as another finding',
    (one, place) => !byClass.slice(0, place).some((other) => isSame(other, one)),
  )
  // A part that does not differ from the others is named only if nothing else has changed.
  const isClear = ({ isApart }: SaidFinding) => isApart !== false
  const isAlone = once.filter(isClear).every((one) => classed(one) === 'standing')
  const told = keep(once, 'changed like its peers', (one) => isAlone || isClear(one))
  if (isTeams) {
    const teams = [...new Set(told.flatMap((one) => worseTeamOf(one) ?? []))].slice(0, TEAMS_MOST)
    // A lasting fact about no team is named only if nothing else is.
    const whole = told.filter(
      (one) =>
        worseTeamOf(one) === null &&
        ['data', 'change', ...(teams.length > 0 ? [] : ['standing'])].includes(classed(one)),
    )
    const ofTeams = teams.map((team) => told.find((one) => worseTeamOf(one) === team)!)
    const isData = (one: SaidFinding) => classed(one) === 'data'
    const ofAll = whole.filter((one) => !isData(one)).slice(0, 1)
    const lead = [
      ...[...whole.filter(isData).slice(0, LEAD_MOST), ...ofTeams.filter(isData)],
      ...[...ofAll, ...ofTeams.filter((one) => !isData(one))],
    ]
    keep(told, 'no room', (one) => lead.includes(one))
    return { lead, reasons }
  }
  const [urgent, changes, others] = [['action', 'data'], ['change'], ['standing', 'good']].map((names) =>
    told.filter((one) => names.includes(classed(one))),
  ) as [SaidFinding[], SaidFinding[], SaidFinding[]]
  const most = LEAD_MOST - Math.min(1, others.length)
  const first = [...urgent, ...changes].slice(0, Math.max(most, urgent.length))
  const lead = [...first, ...others].slice(0, LEAD_MOST)
  keep(told, 'no room', (one) => lead.includes(one))
  return { lead, reasons }
}

type Keep = ReturnType<typeof keeperOf>

/** Returns a function that keeps some findings. For the others, it stores why they are not in the lead. */
const keeperOf =
  (reasons: Map<SaidFinding, string>) =>
  (
    some: readonly SaidFinding[],
    reason: string,
    isKept: (one: SaidFinding, place: number) => boolean,
  ): SaidFinding[] => {
    const kept = some.filter(isKept)
    for (const one of some) if (!kept.includes(one)) reasons.set(one, reason)
    return kept
  }

/** Returns the findings for the readers of this report, each alert once. */
function newsOf(
  listed: readonly SaidFinding[],
  report: Report,
  topics: readonly string[] | undefined,
  keep: Keep,
): readonly SaidFinding[] {
  const isUrgent = (one: SaidFinding) => ['action', 'data'].includes(classOf(one))
  const onTopic = keep(
    listed,
    'not a topic of this report',
    (one) =>
      !topics ||
      topics.includes(one.topic === 'unused' ? 'acknowledge' : one.topic) ||
      one.card !== null ||
      one.kind === 'burst' ||
      isUrgent(one),
  )
  const isOpen = ({ kind }: SaidFinding) => kind === 'unattended' || kind === 'ageing'
  const forReader = report.front.about_open
    ? keep(onTopic, 'not a topic of this report', (one) => isOpen(one) || isUrgent(one))
    : keep(onTopic, 'left to the handover', (one) => {
        return !isOpen(one) || (isByTeam(report) && worseTeamOf(one) !== null)
      })
  const isOf = (alert: SaidFinding, one: SaidFinding) =>
    alert.kind === 'dominant' && one.kind !== 'burst' && one.cause === alert.subject
  // An increase with a known start explains the alert, if it has most of its incidents. Otherwise, the alert explains it.
  const isRepeated = (one: SaidFinding) =>
    onTopic.some(
      (other) =>
        (isOf(one, other) && other.causeSince !== null && 2 * other.causeN! >= one.value!) ||
        (isOf(other, one) && one.causeSince === null),
    )
  return keep(forReader, 'the same alert as another finding', (one) => !isRepeated(one))
}

/** Returns findings about red cards (worse, or target missed) that are not in the lead, so that none is omitted. */
export const redIn = (all: readonly SaidFinding[], lead: readonly SaidFinding[]) =>
  all.filter((one) => one.card && one.isWorse && !lead.some((said) => isSame(said, one)))

const isSame = (one: SaidFinding, other: SaidFinding) =>
  one === other || (one.subject !== null && one.subject === other.subject)
