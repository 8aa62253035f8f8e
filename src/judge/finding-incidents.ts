import type { Bucket, Test } from '../report/incidents/incident-selection.ts'
import { sourceOf } from '../report/incidents/link-spec.ts'
import { dimensionOf, type Finding } from './finding.ts'

export interface Counted {
  readonly bucket: Bucket
  /** The number as the sentence shows it. It links to the list only if the list has exactly this many incidents. */
  readonly said: number
  readonly caption: string
}

interface CountedBy {
  readonly now: Counted | null
  readonly before: Counted | null
  /** Incidents of the alert behind an increase. */
  readonly cause: Counted | null
}

type Key = Pick<
  Finding,
  'kind' | 'topic' | 'key' | 'subject' | 'within' | 'value' | 'before' | 'detail' | 'n' | 'cause' | 'causeN'
>

export function numbersOf(all: readonly Finding[]): Counted[] {
  return all.flatMap((one) => Object.values(countedByFinding(one)).filter((number) => number !== null))
}

const is = (column: string, value: string): Test => ({ column, is: [value], isOfRow: true })
const current = is('period', 'current')

/** Determines the incidents from the kind and key of a finding, never from its text. */
export function countedByFinding(finding: Key): CountedBy {
  const { now, before } = withoutCause(finding)
  const { cause, causeN } = finding
  if (now === null || cause === null || causeN === null) return { now, before, cause: null }
  const { bucket, caption } = now
  const tests = [...bucket.tests, is('alert', cause)]
  return { now, before, cause: { bucket: { ...bucket, tests }, said: causeN, caption } }
}

function withoutCause(finding: Key): Omit<CountedBy, 'cause'> {
  const { kind, value, before } = finding
  const of = (tests: readonly Test[] | null, said: number | null, caption = ''): Counted | null =>
    tests && said !== null ? { bucket: { of: sourceOf({}), tests }, said, caption } : null
  if (kind === 'outside') {
    const tests = subjectOf(finding)
    return {
      now: of(tests && [...tests, current], value),
      before: of(tests && [...tests, is('period', 'previous')], before),
    }
  }
  const last = lastWeeks[kind]
  if (last) {
    const tests = subjectOf(finding)
    return {
      now: of(tests && [...tests, current, { column: 'weeks_ago', from: null, to: last }], value, kind),
      before: null,
    }
  }
  if (kind === 'concentrated') return nightsOf(finding)
  return { now: of(testsOf(finding), saidBy(finding)), before: null }
}

/** A sentence about a missed target shows the number of all incidents whose result is decided. */
const saidBy = ({ kind, value, n }: Key) => (kind === 'goal' ? n : value)

const lastWeeks: Readonly<Record<string, number>> = { month: 4, week: 1 }

/** Returns the conditions for the subject of a finding, by topic. `names` are the names in the finding’s key. */
const subjects: Readonly<Record<string, (subject: string, names: readonly string[]) => Test[]>> = {
  counts: () => [],
  teams: (team) => [is('team', team)],
  severities: (severity) => [is('severity', severity)],
  hours: (hour) => [is('hour', hour)],
  sources: (_, [team = '', channel = '', integration = '']) => [
    is('team', team),
    is('channel', channel),
    ...(integration === '' ? [] : [is('integration', integration)]),
  ],
}

function subjectOf({ topic, key, subject }: Key): Test[] | null {
  const dimension = dimensionOf(topic)
  if (dimension !== null) return [is(dimension, subject ?? '')]
  return subjects[topic]?.(subject ?? '', key.split('\u001f').slice(1)) ?? null
}

/** Returns the conditions for a finding that is not about a changed count. Null if it has none. */
function testsOf(finding: Key): Test[] | null {
  const { kind, topic, subject, within, detail } = finding
  switch (kind) {
    case 'unattended':
      return [is('is_waiting', 'true')]
    case 'moved':
      return [...subjectOf(finding)!, current]
    case 'dominant': {
      const tests = topic === 'families' ? null : subjectOf(finding)
      return tests && [...tests, current]
    }
    case 'never_closed':
      return [is('is_open', 'true'), { column: 'lasted_s', from: 7 * 86_400, to: null }, current]
    case 'ageing':
      return [is('is_open', 'true'), { column: 'lasted_s', from: 7 * 86_400, to: null }]
    case 'goal':
      return topic === 'targets' && subject !== null && within !== null
        ? [{ column: 'decided_targets', has: `${within} ${subject}` }, current]
        : null
    case 'burst':
      return within === 'day' && detail !== null ? [is('day', detail), current] : null
    case 'data':
      return topic === 'machine'
        ? [{ column: subject === 'resolve' ? 'ttr' : 'tta', from: null, to: 1 }, current]
        : null
    default:
      return null
  }
}

function nightsOf({ key, value, before }: Key): Omit<CountedBy, 'cause'> {
  const [, team = '', person = ''] = key.split('\u001f')
  const of = sourceOf({ of: 'pages' })
  const tests = [is('team', team), is('band', 'sleep'), current]
  const own: Test[] = tests.toSpliced(1, 0, { column: 'person_id', is: [person], isOfRow: false })
  return {
    now: value === null ? null : { bucket: { of, tests: own }, said: value, caption: 'One person' },
    before: before === null ? null : { bucket: { of, tests }, said: before, caption: '' },
  }
}
