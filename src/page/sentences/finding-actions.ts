import { dimensionOf } from '../../judge/finding.ts'
import type { FormatContext } from '../../render/format.ts'
import type { Inline } from '../../render/result.ts'
import { shorten } from '../../render/sanitize-text.ts'
import { dataKinds, dataStep } from './data-sentences.ts'
import { done, NAME_MAX, NO_CHANNEL, type SaidFinding, text } from './sentence-parts.ts'
import { teamOf } from './team-sentences.ts'

/** Returns a sentence with up to three recommended actions for the findings in the lead, by team. Can be empty. */
export function nextText(lead: readonly SaidFinding[], context: FormatContext): Inline[] {
  const owners = new Map<string, string>()
  for (const one of lead.filter(({ isWorse }) => isWorse)) {
    const step = stepOf(one, lead, context)
    if (step !== null && !owners.has(step)) owners.set(step, ownerOf(one, step))
  }
  const steps = [...owners.keys()]
  const said = [...new Set(owners.values())].flatMap((owner) => {
    const own = steps.filter((step) => owners.get(step) === owner)
    return owner === '' ? own : `${own.join(', and ')}${owner}`
  })
  return said.length === 0 ? [] : [{ kind: 'text', text: `${said.join('; ')}.` }]
}

/** Returns ` (Checkout)` for an action of this team whose text does not name the team. Otherwise empty. */
function ownerOf(finding: SaidFinding, step: string): string {
  const team = shorten(teamOf(finding) ?? '', NAME_MAX)
  return step.includes(team) ? '' : ` (${team})`
}

function stepOf(finding: SaidFinding, lead: readonly SaidFinding[], context: FormatContext): string | null {
  const { kind, topic, subject, within, detail, amount, isApart, cause } = finding
  const name = shorten(subject ?? '', NAME_MAX)
  if (cause !== null) return fixStep(cause)
  if (isApart === false) return null
  if (dataKinds.includes(kind)) return dataStep(finding)
  switch (kind) {
    case 'unattended':
      return detail === null ? 'assign it' : 'contact the people who were paged, or reassign the incident'
    case 'ageing':
      return 'close or downgrade the old incidents'
    case 'goal':
      // Names each team only once, even if it misses several targets.
      return detail === null ||
        lead.find((one) => one.kind === 'goal' && one.detail === detail)?.within !== within
        ? null
        : `start with ${shorten(detail, NAME_MAX)}, which ${done(within)} ${text(amount!, 'percent', context)} within target, significantly less than the other teams`
    case 'concentrated':
      return 'share night pages among more people'
    case 'mix':
      return `check the rules that make incidents ${name}`
    case 'unreviewed':
      return 'write the post-mortems of the longest Critical incidents'
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
        ? 'check who is paged first'
        : `ask ${name} why it takes longer to resolve incidents`
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

const fixStep = (alert: string) => `fix “${shorten(alert, NAME_MAX)}”`

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
