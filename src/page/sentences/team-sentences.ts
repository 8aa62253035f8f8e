import { type FormatContext, format, plain } from '../../render/format.ts'
import { shorten } from '../../render/sanitize-text.ts'
import { isNew, type SaidFinding } from './finding-sentences.ts'
import { NAME_MAX } from './sentence-parts.ts'

const NAMED_MOST = 5

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
  const { kind, topic, subject, within, value, before, causeSince } = finding
  const isOfNewTeam =
    ['outside', 'month', 'week'].includes(kind) && within === null && teamOf(finding) === subject
  if (isOfNewTeam && isNew(finding)) return ''
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

/**
 * Returns a sentence such as `2 of 9 teams need attention: Checkout and Payments.` Names up to five teams. Without teams,
 * returns an empty text.
 */
export function attentionText(names: readonly string[], teams: number): string {
  const count = names.length
  if (count === 0) return ''
  const need = `${count} of ${teams} ${teams === 1 ? 'team' : 'teams'} ${count === 1 ? 'needs' : 'need'} attention`
  if (count > NAMED_MOST) return `${need}.`
  const short = names.map((name) => shorten(name, NAME_MAX))
  return `${need}: ${[short.slice(0, -1).join(', '), short.at(-1)].filter(Boolean).join(' and ')}.`
}
