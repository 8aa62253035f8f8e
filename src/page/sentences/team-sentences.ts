import { type FormatContext, format, plain } from '../../render/format.ts'
import { isNew, type SaidFinding } from './finding-sentences.ts'

/** Returns the team that a finding is about. Null if it is about no team. */
export function teamOf({ kind, topic, key, subject, within, detail, isTested }: SaidFinding): string | null {
  // The test of an objective is for one team. Otherwise, `detail` is the team where improvement should begin.
  if (kind === 'goal') return isTested ? subject : detail
  if (topic === 'nights') return within
  if (topic === 'sources' || topic === 'integrations') return key.split('\u001f')[1] ?? null
  return ['teams', 'acknowledge', 'resolve'].includes(topic) && kind !== 'most' && kind !== 'timer'
    ? subject
    : null
}

/** Describes a finding about a team in a few words. Empty for a new team, which the query of the table names. */
export function teamWords(finding: SaidFinding, context: FormatContext): string {
  const { kind, topic, subject, within } = finding
  const isOfNewTeam =
    ['outside', 'month', 'week'].includes(kind) && within === null && teamOf(finding) === subject
  if (isOfNewTeam && isNew(finding)) return ''
  switch (kind) {
    case 'gap':
      return `no incidents since ${plain(format(within, 'date', context))}`
    case 'goal':
      return 'objective missed'
    case 'concentrated':
      return 'many night pages for one person'
    case 'dominant':
      return 'most incidents'
    case 'burst':
      return 'spike'
    case 'in_time':
    case 'behind':
      return 'fewer acknowledged in time'
    case 'apart':
      return `slow to ${topic}`
    case 'shift':
      return `slower to ${topic}`
    case 'month':
      return 'more incidents in the last four weeks'
    case 'week':
      return 'more incidents in the last week'
    default:
      return 'more incidents'
  }
}

export function attentionText(count: number, teams: number): string {
  if (count === 0) return 'No team stands out'
  return `${count} of ${teams} ${teams === 1 ? 'team' : 'teams'} ${count === 1 ? 'needs' : 'need'} attention`
}
