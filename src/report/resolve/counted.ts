import { numberOf } from '../../render/format.ts'
import type { Counted, RuleFigure } from '../../render/result.ts'
import type { Session } from '../../warehouse/read/reader.ts'
import type { OpenFrame } from '../scope/frame.ts'
import { frameSql } from '../scope/frame-sql.ts'
import type { Policies } from '../scope/policies.ts'

/** How the figures of a report were counted: its rules, the funnel, and the headline times under every other rule. */
export async function countedOf(session: Session, { bound, policies }: OpenFrame): Promise<Counted> {
  const { rows } = await session.query(frameSql('funnel'), bound)
  const funnel = rows.map(([label, count]) => ({ label: String(label), count: Number(count) }))
  const rules = definitionsFor(policies)
  return isEmpty(funnel) ? { rules, funnel } : { rules, funnel, sensitivity: await sensitivityOf(session) }
}

/** Whether no incident was counted. */
export function isEmpty(funnel: Counted['funnel']): boolean {
  return funnel.find(({ label }) => label === 'counted')?.count === 0
}

/** The headline times of a report's period under every rule in use; see `reports/frame/sensitivity.sql`. */
async function sensitivityOf(session: Session): Promise<RuleFigure[]> {
  const { rows } = await session.query(frameSql('sensitivity'))
  return rows.map(([measure, policy, isChosen, n, median, mean]) => ({
    measure: words(measure),
    rule: words(policy),
    isChosen: isChosen === true,
    n: Number(n),
    median: numberOf(median),
    mean: numberOf(mean),
  }))
}

/** `time_to_ack` is `time to ack`. */
function words(name: unknown): string {
  return String(name).replaceAll('_', ' ')
}

const cohorts = {
  started: 'in which it started',
  closed: 'in which it was closed; what is open belongs to none',
}

const acknowledgements = {
  exclude: 'from start to first acknowledgement. Muted and unacknowledged incidents are left out.',
  close_counts:
    'from start to first acknowledgement, else to the close: policy close_counts. Muted incidents, and open ones that nobody acknowledged, are left out.',
  first_action:
    'from start to the first thing a person did: acknowledged, as responder or on the incident, or closed by hand: policy first_action. Muted incidents are left out.',
}

/** The rules behind the words of every report. */
function definitionsFor(policies: Policies): { term: string; text: string }[] {
  return rules.map(({ term, text }) => ({
    term,
    text: text
      .replace('{cohort}', cohorts[policies.cohort])
      .replace('{acknowledgement}', acknowledgements[policies.ack])
      .replace('{hours}', policies.hours),
  }))
}

const rules = [
  {
    term: 'Incident',
    text: 'one incident_id that is not deleted and still known to the service; it belongs to the period {cohort}.',
  },
  {
    term: 'Time to acknowledge',
    text: '{acknowledgement}',
  },
  {
    term: 'Time to resolve',
    text: 'from start to close, closed incidents that people handled: acknowledged, or closed by hand.',
  },
  { term: 'Time to recover', text: 'from start until the alerts recovered.' },
  { term: 'Severity', text: 'incident_severity, as configured; it does not fall when alerts recover.' },
  {
    term: 'Median, p90',
    text: 'linear interpolation; no p90 below 10 incidents. What is pale or hollow, or marked !, rests on few incidents.',
  },
  {
    term: 'Change',
    text: 'both periods as they stood equally long after their ends. Durations: ranks within pairs of weeks, t over the weeks, and the ratio of medians; what was open is longer than all. Counts: rates a day, widened by how much weeks of this figure differ, those of 12 weeks before among them, exact where they are few. Shares: difference (Newcombe). Colour and arrow at 99 %, so that of 100 figures in which nothing changed one is coloured; not below 3 weeks or 8 incidents a side.',
  },
  {
    term: 'Interval',
    text: 'the range on the cards and below the figures of tables, 95 %: exact ranks for a median (none below 6 incidents) and a p90 (none below 36), Wilson for a share, t with the skewness taken out (Hall) for a mean (none below 20). n is how many incidents it rests on.',
  },
  {
    term: 'Trend',
    text: 'quasi-Poisson regression of weekly counts on time, t over the weeks; not below 6 weeks or 8 incidents. The mix of severities: Pearson’s χ² of the two halves over how much it differs between weeks (F). Findings at 99 %.',
  },
  {
    term: 'Usual',
    text: 'limits of an individuals chart (XmR) over all whole weeks shown: by medians below 20 weeks, by means from there. Counts around less than 2 a week, or mostly equal: what chance leaves in 99 of 100 such charts (exact binomial, widened where they come in bursts), and below 5 in all too rare to say. Drawn from 6 weeks, judged from 12.',
  },
  {
    term: 'Hours',
    text: '{hours}, in local time; what stands first goes first, the rest is off.',
  },
  {
    term: 'As of',
    text: 'the moment the data was read. Open incidents are watched until then. Weeks begin on Monday, local time.',
  },
]
