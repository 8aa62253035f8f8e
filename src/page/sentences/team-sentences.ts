import { type FormatContext, format, plain } from '../../render/format.ts'
import { isNew, NO_CHANNEL, type SaidFinding } from './sentence-parts.ts'

/** Returns the team that a finding is about. Null if it is about no team. */
export function teamOf(finding: SaidFinding): string | null {
  const { kind, topic, key, subject, within, detail, isTested, owner } = finding
  if (kind === 'unattended') return owner === NO_CHANNEL ? null : owner
  // The test of an objective is for one team. Otherwise, `detail` is the team where improvement should begin.
  if (kind === 'goal') return isTested ? subject : detail
  if (topic === 'nights') return within
  if (topic === 'sources' || topic === 'integrations') return key.split('\u001f')[1] ?? null
  return ['teams', 'acknowledge', 'resolve'].includes(topic) && !['most', 'timer', 'new'].includes(kind)
    ? subject
    : null
}

/** Describes a finding about a team in a few words. Empty if the query of the table names it, such as a new team. */
export function teamWords(finding: SaidFinding, context: FormatContext): string {
  const { kind, topic, subject, within, value, before, causeSince } = finding
  const isOfNewTeam =
    ['outside', 'month', 'week'].includes(kind) && within === null && teamOf(finding) === subject
  if (kind === 'unattended' || (isOfNewTeam && isNew(finding))) return ''
  switch (kind) {
    case 'gap':
      return `no incidents since ${plain(format(within, 'date', context))}`
    case 'goal':
      return 'objective missed'
    case 'concentrated':
      return `one person gets ${plain(format(value! / before!, 'percent', context))} of night pages`
    case 'dominant':
      return 'most incidents'
    case 'burst':
      return 'spike'
    case 'in_time':
      return 'fewer acknowledged in time'
    case 'behind':
      return finding.detail === 'any' ? 'fewer acknowledged' : 'fewer acknowledged in time'
    case 'apart':
      return `slow to ${topic}`
    case 'shift':
      return `slower to ${topic}`
    case 'month':
      return causeSince === null
        ? 'more incidents in the last four weeks'
        : `more incidents since about ${plain(format(causeSince, 'date', context))}`
    case 'week':
      return 'more incidents in the last week'
    default:
      return 'more incidents'
  }
}

/** Returns a sentence such as `2 of 9 teams need attention.` */
export const attentionText = (count: number, teams: number): string =>
  `${count} of ${teams} ${teams === 1 ? 'team' : 'teams'} ${count === 1 ? 'needs' : 'need'} attention.`

/** Returns a sentence about the teams without their own sentence, such as `The other 10: nothing unusual.` Can be empty. */
export function otherTeamsText(unnamed: number, others: number): string {
  const rest = others === 1 ? 'The other team' : `The other ${others}`
  return [
    ...(unnamed > 0 ? [`${unnamed} more: see the table.`] : []),
    ...(others > 0 ? [`${rest}: nothing unusual.`] : []),
  ].join(' ')
}
