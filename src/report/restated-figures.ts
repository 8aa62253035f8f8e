import type { Restatement } from '../render/result.ts'
import type { Reference } from './parse/block-schema.ts'
import type { Query } from './parse/parse.ts'

/** Incidents that changed alike since an earlier run; see `reports/frame/restated-why.sql`. */
export interface Restated {
  reason: string
  facts: readonly string[]
  /** Of those counted then and now; null were not. */
  severityBefore: string | null
  severity: string | null
  incidents: number
  examples: readonly string[]
}

/** What of an incident a figure depends on, besides whether it is counted; null is unknown, so anything. */
interface Basis {
  facts: ReadonlySet<string> | null
  /** The only severities it speaks of; null is all. */
  severities: ReadonlySet<string> | null
}

type Reason = Restatement['reasons'][number]

/** What in the text of a column says that it depends on a fact. */
const speaks: Readonly<Record<string, RegExp>> = {
  tta: /\btta\b|time_to_ack/,
  ttr: /\bttr(_all)?\b|time_to_(resolve|close)|\bmedian_s\b/,
  acknowledged: /\b(is_)?acknowledged\b/,
  open: /\bis_open\b/,
  band: /\b(band|hour|weekday)\b/,
  healed: /\b(is_)?self_healed\b/,
  alerts: /\bcompression\b|alert_/,
  ack_target: /\back_outcome\b/,
  resolve_target: /\bresolve_outcome\b/,
}

/** The reasons of the incidents that can have changed a figure, most incidents first. */
export function reasonsOf(
  figure: Reference,
  queries: readonly Query[],
  restated: readonly Restated[],
): Reason[] {
  const basis = basisOf(figure, queries)
  return merged(restated.filter((one) => changes(one, basis)))
}

/** Rows of one reason as one, with up to three examples. */
export function merged(restated: readonly Restated[]): Reason[] {
  const names = [...new Set(restated.map(({ reason }) => reason))]
  const reasons = names.map((reason) => {
    const same = restated.filter((one) => one.reason === reason)
    const examples = [...new Set(same.flatMap((one) => one.examples))].sort().slice(0, 3)
    return { reason, incidents: same.reduce((sum, { incidents }) => sum + incidents, 0), examples }
  })
  return reasons.sort((a, b) => b.incidents - a.incidents || (a.reason < b.reason ? -1 : 1))
}

function changes({ facts, severityBefore, severity }: Restated, basis: Basis): boolean {
  const isOf = (one: string | null) => one !== null && (basis.severities?.has(one) ?? true)
  if (isOf(severityBefore) !== isOf(severity)) return true
  return isOf(severity) && facts.some((fact) => basis.facts?.has(fact) ?? true)
}

/** What a figure depends on, from the text of its column and of its query. */
function basisOf({ query, column }: Reference, queries: readonly Query[]): Basis {
  const found = queries.find(({ name }) => name === query)
  const made = found?.bases?.get(column)
  const sql = made?.from ?? found?.sql ?? ''
  const text = made?.expression ?? columnText(sql, column)
  if (text === null) return { facts: null, severities: null }
  const facts = new Set(Object.keys(speaks).filter((fact) => speaks[fact]!.test(text)))
  const isPart = text.includes('/')
  const named = severitiesIn(text)
  // A part of all changes with those that it is a part of.
  if (isPart && named.size > 0) facts.add('severity')
  if (/\bshare\b/.test(text) && /target_attainment/.test(sql))
    facts.add(/'resolve'/.test(sql) ? 'resolve_target' : 'ack_target')
  const isCount = /^count\((\*|[\w.]*)\)/.test(text)
  if (isCount && /\bscoped_pages\b/.test(sql)) facts.add('pages')
  const isKnown = facts.size > 0 || named.size > 0 || isCount
  const limits = named.size > 0 && !isPart ? named : severitiesIn(whereTexts(sql))
  return { facts: isKnown ? facts : null, severities: limits.size > 0 ? limits : null }
}

/** The expression that `column` is a name of, as it stands in the text: from the comma, the bracket or the `select` before it. */
function columnText(sql: string, column: string): string | null {
  const end = new RegExp(`\\s+as\\s+"?${column}"?(?![\\w"])`).exec(sql)?.index
  if (end === undefined) return null
  let depth = 0
  let start = end
  for (; start > 0; start--) {
    const at = sql[start - 1]!
    if (at === ')') depth++
    if (at === '(') depth--
    if (depth < 0 || (depth === 0 && (at === ',' || /\bselect\s$/.test(sql.slice(start - 8, start))))) break
  }
  return sql.slice(start, end).trim()
}

/** The severities that a text asks for by their names. */
function severitiesIn(text: string): Set<string> {
  const asked = [...text.matchAll(/severity\s*(?:=\s*('[^']*')|in\s*\(([^)]*)\))/g)]
  const names = asked.flatMap(([, one, several]) =>
    [...(one ?? several)!.matchAll(/'([^']*)'/g)].map(([, name]) => name!),
  )
  return new Set(names.filter((name) => name !== '(all)'))
}

/** What the rows of a query are limited by, up to the next part of it; not what is counted with a filter. */
function whereTexts(sql: string): string {
  const next = /\b(where|select|union|having|limit|filter|group by|order by)\b/
  return sql
    .split(/(?<!filter\s*\()\bwhere\b/)
    .slice(1)
    .map((text) => text.split(next, 1)[0])
    .join('\n')
}
