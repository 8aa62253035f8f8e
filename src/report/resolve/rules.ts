import type { Counted, Verdicts } from '../../render/result.ts'
import { type Report, textsOf } from '../parse/parse.ts'
import { tagsOf } from '../parse/template.ts'
import type { Policies } from '../scope/policies.ts'
import { judgedIn } from './verdicts.ts'

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

/** What of a report a rule belongs to. */
interface Use {
  /** The text of its queries. */
  sql: string
  measures: ReadonlySet<string>
  hasUsual: boolean
  findings: boolean
  verdicts: number
}

function useOf(report: Report, verdicts: Verdicts): Use {
  return {
    sql: report.queries.map(({ sql }) => sql).join('\n'),
    measures: new Set(verdicts.rows.map((row) => String(row[2]))),
    hasUsual:
      report.pieces.some((piece) => piece.kind === 'chart' && piece.body.type === 'control') ||
      textsOf(report)
        .flatMap(tagsOf)
        .some(({ as }) => as.kind === 'usual'),
    findings: report.pieces.some(({ kind }) => kind === 'findings'),
    verdicts: judgedIn(verdicts),
  }
}

/** The rules behind the words of a report: those that it uses. */
export function rulesOf(report: Report, policies: Policies, verdicts: Verdicts): Counted['rules'] {
  const use = useOf(report, verdicts)
  const chance = use.verdicts === 1 ? 'one in 100' : `about ${use.verdicts} in 100`
  return rules
    .filter(({ when }) => (when instanceof RegExp ? when.test(use.sql) : (when?.(use) ?? true)))
    .map(({ term, text }) => ({
      term,
      text: text
        .replace('{cohort}', cohorts[policies.cohort])
        .replace('{acknowledgement}', acknowledgements[policies.ack])
        .replace('{hours}', policies.hours)
        .replace('{verdicts}', String(use.verdicts))
        .replace('{chance}', chance),
    }))
}

interface Rule {
  term: string
  text: string
  /** Which reports use it: by their queries, or otherwise; every report where it is left out. */
  when?: RegExp | ((use: Use) => boolean)
}

const acknowledges = /\btta\b|time_to_ack/
const resolves = /\bttr(_all)?\b|time_to_(resolve|close)|resolve_time/
const survives = /survival|resolve_time/
const aims = /target_attainment|incident_targets/

const rules: Rule[] = [
  {
    term: 'Incident',
    text: 'one incident_id that is not deleted and still known to the service; it belongs to the period {cohort}.',
  },
  {
    term: 'Merged',
    text: 'what the system made, is closed and has no alert left was merged into another incident: that one counts, this one only in the list below.',
  },
  {
    term: 'Muted',
    text: 'counts as an incident and among all closed, but not in times to acknowledge or of what people handled, targets, survival or calls.',
  },
  {
    term: 'Reopened',
    text: 'counts once, and takes until its last close; the service tells no history, so a reopening is known only where two reads saw it, and the number of them is a lower bound.',
    when: new RegExp(`${resolves.source}|${survives.source}|recurrence`),
  },
  {
    term: '0 s',
    text: 'is a time like any other and counts; how many there are stands below.',
    when: new RegExp(`${acknowledges.source}|${resolves.source}`),
  },
  { term: 'Time to acknowledge', text: '{acknowledgement}', when: acknowledges },
  {
    term: 'Time to resolve',
    text: 'from start to close, incidents that people handled: acknowledged, or closed by hand. While less than a tenth of the period is open it is the median of those closed, else the median of survival; the period before is told by the same rule.',
    when: /resolve_time/,
  },
  {
    term: 'Time to resolve',
    text: 'from start to close, closed incidents that people handled: acknowledged, or closed by hand.',
    when: ({ sql }) => resolves.test(sql) && !/resolve_time/.test(sql),
  },
  {
    term: 'Time to recover',
    text: 'from start until the alerts recovered.',
    when: /\brecover\b|time_to_recover/,
  },
  {
    term: 'Survival',
    text: 'the share still open after a time, by Kaplan and Meier: what is open counts as open until the data was read, and then leaves.',
    when: survives,
  },
  {
    term: 'Interval of survival',
    text: "Greenwood's variance on the log-log scale, 95 %; that of its median is where the ends of the curve cross one half.",
    when: survives,
  },
  {
    term: 'Target',
    text: 'that of the severity an incident had when it was acknowledged, or closed; where two reads saw the severity being raised before, the time counts from then, otherwise from the start. What was re-rated afterwards keeps the target it had.',
    when: aims,
  },
  { term: 'Severity', text: 'incident_severity, as configured; it does not fall when alerts recover.' },
  {
    term: 'Median, p90',
    text: 'linear interpolation; no p90 below 10 incidents. What is pale or hollow, or marked !, rests on few incidents.',
    when: /median|p90|quantile/,
  },
  {
    term: 'Change',
    text: 'both periods as they stood equally long after their ends; no verdict below 3 weeks a side, where 4 days are a last week.',
    when: ({ measures }) => measures.size > 0,
  },
  {
    term: 'Change of a time',
    text: 'ranks within pairs of weeks, with t over the weeks, where what was open is longer than all, and the ratio of the medians, both by the rule of the figure; below 8 incidents a side nothing is said.',
    when: ({ measures }) => measures.has('duration'),
  },
  {
    term: 'Change of a count',
    text: 'rates a day, widened by the dispersion of this figure, which is how much its weeks, and up to 12 before them, differ beyond chance; exact where they are few.',
    when: ({ measures }) => measures.has('count'),
  },
  {
    term: 'Change of a share',
    text: "the difference, with Newcombe's interval, widened by the dispersion of this share from week to week.",
    when: ({ measures }) => measures.has('share'),
  },
  {
    term: 'Colour',
    text: 'and arrow where 99 % speak for a change; possibly so where 95 % do; about the same where all of the interval is small (three quarters to four thirds, 10 points of a share), else no clear change. This page makes {verdicts} such verdicts: were nothing to change, {chance} such pages would show a coloured one by chance.',
    when: ({ verdicts }) => verdicts > 0,
  },
  {
    term: 'Finding',
    text: 'in the lead where it is a fact, a red card, or 95 % speak for it with all that was looked at counted (Benjamini and Hochberg, each sort with its part); what follows from another gives way. findings.csv has all of them.',
    when: ({ findings }) => findings,
  },
  {
    term: 'Interval',
    text: 'the range on the cards and below the figures of tables, 95 %: exact ranks for a median (none below 6 incidents) and a p90 (none below 36), Wilson for a share, t with the skewness taken out (Hall) for a mean (none below 20). n is how many incidents it rests on.',
    when: ({ sql, measures }) =>
      measures.has('duration') || measures.has('share') || /_(low|high)\b|_interval\(/.test(sql),
  },
  {
    term: 'Usual',
    text: 'limits of an individuals chart (XmR) over all whole weeks shown: by medians below 20 weeks, by means from there. Counts around less than 2 a week, or mostly equal: what chance leaves in 99 of 100 such charts (exact binomial, widened where they come in bursts), and below 5 in all too rare to say. Drawn from 6 weeks, judged from 12.',
    when: ({ hasUsual }) => hasUsual,
  },
  {
    term: 'Trend',
    text: 'quasi-Poisson regression of weekly counts on time, t over the weeks; not below 6 weeks or 8 incidents, possibly one where 95 % speak for it, and a finding where 99 % do.',
    when: /count_trend/,
  },
  {
    term: 'Mix',
    text: 'χ² of the two halves of the period, over how much the mix differs between weeks anyway (F).',
    when: /mix_change/,
  },
  {
    term: 'Calls',
    text: 'assignments of people, once a minute, a proxy: the service does not tell who was called.',
    when: /scoped_pages|page_starts|pages_within|person_load|pages_by_band/,
  },
  {
    term: 'Time between',
    text: 'the length of the period over the incidents that started in it; on-call hours are those of the configuration.',
    when: /time_between/,
  },
  {
    term: 'Hours',
    text: '{hours}, in local time; what stands first goes first, the rest is off.',
    when: /band|sleep|scoped_pages|person_load/,
  },
  {
    term: 'As of',
    text: 'the moment the data was read. Open incidents are watched until then. Weeks begin on Monday, local time.',
  },
]
