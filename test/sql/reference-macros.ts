import type { World } from '../support/world.ts'
import {
  acknowledgement,
  incidentTargets,
  targetAttainment,
  targetsFor,
} from './reference-acknowledgement.ts'
import { incidentCounts, rhythm, weeklyUsualRange } from './reference-calendar.ts'
import { resolveTime, timeMeasures } from './reference-durations.ts'
import { isIn, type Rows, started } from './reference-groups.ts'
import { noisiestSources, pageStarts, personNames, responderPages } from './reference-pages.ts'
import { definitionSensitivity, firstAnswers, policyTimes } from './reference-policies.ts'
import { incidentChanges, incidentRepeats, recurrence } from './reference-recurrence.ts'
import {
  assignmentLoad,
  assignmentOutcomes,
  incidentHolders,
  incidentResponse,
  pagesByBand,
  personLoad,
  responseEffort,
  responseSpans,
  responseSummary,
} from './reference-response.ts'
import { survival } from './reference-statistics.ts'
import { timeChanges } from './reference-time-changes.ts'
import { referenceTimes } from './reference-times.ts'
import {
  compression,
  criticalGaps,
  incidentHours,
  learning,
  selfHeal,
  textCompleteness,
  timeBetween,
} from './reference-volume.ts'

type Compute = (world: World) => Rows

export const besides: Record<string, Compute> = {
  incident_changes: incidentChanges,
  incident_response: incidentResponse,
  assignment_outcomes: assignmentOutcomes,
  person_names: personNames,
  first_answers: firstAnswers,
}

/** Returns calls of metrics for a period and a time zone. `{of}` is a placeholder for a relation. */
export function metricsIn(from: number, to: number, zone: string): Record<string, Compute> {
  const at = (seconds: number) => `to_timestamp(${seconds})`
  const asked = {
    zone,
    span: { from, to },
    period: `period_from := ${at(from)}, period_to := ${at(to)}`,
    cohort: `started_from := ${at(from)}, started_to := ${at(to)}`,
    dayBefore: `previous_from := ${at(from - 86_400)}`,
  }
  return { ...timesIn(asked), ...volumeIn(asked), ...responseIn(asked) }
}

interface Asked {
  readonly zone: string
  readonly span: { readonly from: number; readonly to: number }
  /** Arguments that select the events in `span`, or (`cohort`) the incidents that started in it. */
  readonly period: string
  readonly cohort: string
  readonly dayBefore: string
}

const all = {}

function timesIn({ span, period, cohort, dayBefore }: Asked): Record<string, Compute> {
  return {
    'incidents_in({of})': (world) => referenceTimes(world).map(({ times }) => times),
    [`incidents_in(${cohort}, {of})`]: (world) =>
      started(referenceTimes(world), span).map(({ times }) => times),
    'targets_for({of})': targetsFor,
    'incident_targets({of})': incidentTargets,
    'policy_times({of})': policyTimes,
    'acknowledgement({of})': (world) => acknowledgement(world, all),
    [`acknowledgement(${cohort}, {of})`]: (world) => acknowledgement(world, span),
    'target_attainment({of})': (world) => targetAttainment(world, all),
    [`target_attainment(${cohort}, {of})`]: (world) => targetAttainment(world, span),
    'time_measures({of})': (world) => timeMeasures(world, referenceTimes(world)),
    [`time_measures(${cohort}, {of})`]: (world) => timeMeasures(world, started(referenceTimes(world), span)),
    [`survival_curve(${cohort}, {of})`]: (world) => survival(started(referenceTimes(world), span)),
    'resolve_time({of})': (world) => resolveTime(world, all),
    [`resolve_time(${cohort}, {of})`]: (world) => resolveTime(world, span),
    'definition_sensitivity({of})': (world) => definitionSensitivity(world, all),
    [`definition_sensitivity(${cohort}, {of})`]: (world) => definitionSensitivity(world, span),
    [`time_changes(${period}, {of})`]: (world) => timeChanges(world, span.from, span.to),
    [`time_changes(${period}, ${dayBefore}, {of})`]: (world) =>
      timeChanges(world, span.from, span.to, span.from - 86_400),
  }
}

function volumeIn({ zone, span, period, cohort }: Asked): Record<string, Compute> {
  return {
    'critical_gaps({of})': (world) => criticalGaps(referenceTimes(world)),
    [`compression(${cohort}, {of})`]: (world) => compression(world, span),
    'compression({of})': (world) => compression(world, all),
    'noisy_sources({of})': (world) => noisiestSources(world),
    [`noisy_sources(${cohort}, {of})`]: (world) => noisiestSources(world, span),
    'self_heal({of})': (world) => selfHeal(world, all),
    [`self_heal(${cohort}, {of})`]: (world) => selfHeal(world, span),
    'recurrence({of})': (world) => recurrence(world, all),
    [`recurrence(${cohort}, {of})`]: (world) => recurrence(world, span),
    'text_completeness({of})': (world) => textCompleteness(world, all),
    [`text_completeness(${cohort}, {of})`]: (world) => textCompleteness(world, span),
    'learning({of})': (world) => learning(world, all),
    [`learning(${cohort}, {of})`]: (world) => learning(world, span),
    [`rhythm(zone := '${zone}', {of})`]: (world) => rhythm(world, zone, all),
    [`rhythm(zone := '${zone}', ${cohort}, {of})`]: (world) => rhythm(world, zone, span),
    [`incident_counts(zone := '${zone}', {of})`]: (world) => incidentCounts(world, 'week', zone, all),
    "incident_counts(bucket := 'month', {of})": (world) => incidentCounts(world, 'month', 'UTC', all),
    [`incident_counts(bucket := 'day', zone := '${zone}', ${cohort}, {of})`]: (world) =>
      incidentCounts(world, 'day', zone, span),
    [`weekly_usual_range(zone := '${zone}', {of})`]: (world) => weeklyUsualRange(world, zone, all),
    [`weekly_usual_range(${cohort}, {of})`]: (world) => weeklyUsualRange(world, 'UTC', span),
    'incident_hours({of})': (world) => incidentHours(world, all),
    [`incident_hours(${period}, {of})`]: (world) => incidentHours(world, span),
    'time_between({of})': (world) => timeBetween(world, all),
    [`time_between(${period}, {of})`]: (world) => timeBetween(world, span),
    'repeats_of({of})': incidentRepeats,
  }
}

function responseIn({ span, period, cohort }: Asked): Record<string, Compute> {
  return {
    'incident_holders({of})': incidentHolders,
    'response_spans({of})': responseSpans,
    'response_summary({of})': (world) => responseSummary(world, all),
    [`response_summary(${cohort}, {of})`]: (world) => responseSummary(world, span),
    'page_starts()': pageStarts,
    [`page_starts(${period})`]: (world) => pageStarts(world, span),
    'pages_within()': responderPages,
    [`pages_within(${period})`]: (world) =>
      responderPages(world).filter(({ paged_at }) => isIn(paged_at as number, span)),
    'load_within()': assignmentLoad,
    [`load_within(${period})`]: (world) =>
      assignmentLoad(world).filter(({ assigned_at }) => isIn(assigned_at as number, span)),
    'pages_by_band({of})': (world) => pagesByBand(world, all),
    [`pages_by_band(${period}, {of})`]: (world) => pagesByBand(world, span),
    'response_effort({of})': (world) => responseEffort(world, all),
    [`response_effort(${period}, {of})`]: (world) => responseEffort(world, span),
    'person_load({of})': (world) => personLoad(world, all),
    [`person_load(${period}, {of})`]: (world) => personLoad(world, span),
  }
}
