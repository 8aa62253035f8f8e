import { dimensionOf } from '../../judge/finding.ts'
import type { FormatContext } from '../../render/format.ts'
import type { Inline } from '../../render/result.ts'
import { shorten } from '../../render/sanitize-text.ts'
import { done, NAME_MAX, NO_CHANNEL, type SaidFinding, text } from './finding-sentences.ts'
import { teamOf } from './team-sentences.ts'

/** Returns a sentence with recommended actions for the findings in the lead. Can be empty. */
export function nextText(lead: readonly SaidFinding[], context: FormatContext): Inline[] {
  const steps = [
    ...new Set(lead.filter(({ isWorse }) => isWorse).flatMap((one) => stepOf(one, lead, context) ?? [])),
  ].slice(0, 3)
  return steps.length === 0 ? [] : [{ kind: 'text', text: `${steps.join('; ')}.` }]
}

function stepOf(finding: SaidFinding, lead: readonly SaidFinding[], context: FormatContext): string | null {
  const { kind, topic, subject, within, detail, amount, isApart, cause } = finding
  const name = shorten(subject ?? '', NAME_MAX)
  const team = teamOf(finding)
  if (cause !== null) return `${fixStep(cause)}${team === null ? '' : ` (${shorten(team, NAME_MAX)})`}`
  if (isApart === false) return null
  switch (kind) {
    case 'unattended':
      return detail === null ? 'assign it' : 'contact the people who were paged, or reassign it'
    case 'ageing':
      // Another finding already covers unacknowledged incidents, so this one is about the others.
      return lead.some((one) => one.kind === 'unattended')
        ? 'close or downgrade the other incidents that have been open for more than a week'
        : 'close or downgrade incidents that have been open for more than a week'
    case 'goal':
      // Names each team only once, even if it misses several targets.
      return detail === null ||
        lead.find((one) => one.kind === 'goal' && one.detail === detail)?.within !== within
        ? null
        : `start with ${shorten(detail, NAME_MAX)}, which ${done(within)} ${text(amount!, 'percent', context)} within target, significantly less than the other teams`
    case 'concentrated':
      return `share the night pages of ${shorten(within ?? '', NAME_MAX)} among more people`
    case 'gap':
      return topic === 'severities'
        ? `check the rules that make incidents ${name}`
        : `check that the integrations of ${name} still send alerts`
    case 'renamed':
      return 'compare the severity rules before and after that day'
    case 'dominant':
      if (topic !== 'families') return countStep(topic, name)
      return lead.some((one) => one.cause === subject) ? null : fixStep(name)
    case 'new':
      return 'agree on targets with the new teams'
    case 'never_closed':
      return 'close these incidents, and from now on close each incident when its alert recovers'
    case 'timer':
      return 'close incidents when their alerts recover, or list the timer under “automation” in the configuration'
    case 'apart':
    case 'behind':
    case 'in_time':
      return topic === 'acknowledge'
        ? `check who is paged first at ${name}`
        : `ask ${name} why it takes longer to resolve incidents`
    case 'data':
      if (topic === 'machine' || topic === 'unused') return null
      return detail === null
        ? 'check that the integrations still send alerts'
        : 'find out why no alerts arrived'
    case 'outside':
    case 'month':
    case 'week':
    case 'burst':
      // A new subject has no earlier incidents, so it cannot have changed.
      return kind !== 'burst' && detail !== null ? null : countStep(topic, name)
    case 'shift':
      return topic === 'cards' ? null : `ask ${name} why it takes longer`
    default:
      return null
  }
}

const fixStep = (alert: string) => `fix the cause of “${shorten(alert, NAME_MAX)}”`

function countStep(topic: string, name: string): string | null {
  const steps: Record<string, string> = {
    teams: `ask ${name} what changed`,
    sources:
      name === NO_CHANNEL
        ? 'assign an owner to incidents without a channel'
        : `look for a common cause of the alerts from ${name}`,
  }
  const dimension = dimensionOf(topic)
  return (
    steps[topic] ??
    (dimension === null ? null : `look for a common cause of the incidents with ${dimension} ${name}`)
  )
}
