import { hash, pick } from '../random.ts'
import { CHECKS, HOSTILE, REPORTED, regionOf } from './checks.ts'
import type { ChannelSlot } from './company.ts'
import { ENVIRONMENTS } from './names.ts'
import type { StoryTable } from './story-table.ts'

/** One incident in this many carries a title that tries to break whoever shows it. */
const HOSTILE_EVERY = 250

/** The words of an incident. */
export interface Description {
  service: string
  title: string
  description: string
  summary: string
  impact: string
  /** Values of `LABELS`, in its order; undefined for incidents that people reported. */
  labels: readonly string[] | undefined
}

/** Names of the labels that alerts carry. */
export const LABELS = ['service', 'check', 'region', 'env', 'cluster'] as const

/** Tells the words of incident `i` again from its story. */
export function describeIncident(
  table: StoryTable,
  i: number,
  seed: number,
  slot: ChannelSlot | undefined,
): Description {
  const check = CHECKS[table.check[i]!]!
  const service = slot?.services[table.service[i]!] ?? 'unassigned-service'
  const title = titleOf(table, i, seed, service)
  const isManual = table.creator[i] !== 0
  return {
    service,
    title,
    description: isManual
      ? 'Reported by a colleague. Please check whether more customers are affected.'
      : check.description,
    summary: `${service} in ${regionOf(seed, i)}: ${check.name} left its usual range. Look at the last deploy first.`,
    impact: `${1 + (hash(seed, i, 270) % 40)}% of the requests to ${service} were slow or failed.`,
    labels: isManual ? undefined : labelsOf(i, seed, service, check.name),
  }
}

function titleOf(table: StoryTable, i: number, seed: number, service: string): string {
  if (hash(seed, i, 271) % HOSTILE_EVERY === 0) return pick(HOSTILE, seed, i, 272)
  if (table.creator[i] !== 0) return pick(REPORTED, seed, i, 273)
  return CHECKS[table.check[i]!]!.title(service, seed, i)
}

function labelsOf(i: number, seed: number, service: string, check: string): string[] {
  return [
    service,
    check,
    regionOf(seed, i),
    pick(ENVIRONMENTS, seed, i, 257),
    `k8s-${hash(seed, i, 258) % 6}`,
  ]
}
