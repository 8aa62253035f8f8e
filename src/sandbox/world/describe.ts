import { hash, pick } from '../random.ts'
import { CHECKS, HOSTILE, REPORTED, regionOf } from './checks.ts'
import type { ChannelSlot } from './company.ts'
import { ENVIRONMENTS, REGIONS } from './names.ts'
import type { StoryTable } from './story-table.ts'

/** One incident in this many carries a title that tries to break whoever shows it. */
const HOSTILE_EVERY = 250

/** Words that many incidents share: what their monitor says about a service. */
export interface Phrase {
  readonly service: string
  readonly description: string
  readonly summary: string
  readonly dedupKey: string
  /** Values of `LABELS`, in its order; undefined for incidents that people reported. */
  readonly labels: readonly string[] | undefined
}

/** Names of the labels that alerts carry. */
export const LABELS = ['service', 'check', 'region', 'env', 'cluster'] as const
const CLUSTERS = ['k8s-0', 'k8s-1', 'k8s-2', 'k8s-3', 'k8s-4', 'k8s-5']

/** Where something happens: what phrases differ in most. */
export interface Place {
  readonly service: string
  readonly environment: string
  readonly cluster: string
}

/** Tells the words of incident `i` again from its story, as they are about a place. */
export function phraseOf(
  table: StoryTable,
  i: number,
  seed: number,
  { service, environment, cluster }: Place,
): Phrase {
  const check = CHECKS[table.check[i]!]!
  const region = regionOf(seed, i)
  const isManual = table.creator[i] !== 0
  return {
    service,
    description: isManual
      ? 'Reported by a colleague. Please check whether more customers are affected.'
      : check.description,
    summary: `${service} in ${region}: ${check.name} left its usual range. Look at the last deploy first.`,
    dedupKey: `${service}/${check.name}/${region}`,
    labels: isManual ? undefined : [service, check.name, region, environment, cluster],
  }
}

/** A small number that two incidents share only when their phrases differ in nothing but the place. */
export function phraseKey(table: StoryTable, i: number, seed: number): number {
  const isManual = table.creator[i] !== 0 ? 1 : 0
  return (table.check[i]! * REGIONS.length + (hash(seed, i, 32) % REGIONS.length)) * 2 + isManual
}

/** The place of incident `i`. */
export function placeOf(table: StoryTable, i: number, seed: number, slot: ChannelSlot | undefined): Place {
  return {
    service: serviceOf(table, i, slot),
    environment: pick(ENVIRONMENTS, seed, i, 257),
    cluster: CLUSTERS[hash(seed, i, 258) % CLUSTERS.length]!,
  }
}

/** The title, which is each incident's own. */
export function titleOf(table: StoryTable, i: number, seed: number, slot: ChannelSlot | undefined): string {
  if (hash(seed, i, 271) % HOSTILE_EVERY === 0) return pick(HOSTILE, seed, i, 272)
  if (table.creator[i] !== 0) return pick(REPORTED, seed, i, 273)
  return CHECKS[table.check[i]!]!.title(serviceOf(table, i, slot), seed, i)
}

/** What it meant for users, as somebody writes it down afterwards. */
export function impactOf(table: StoryTable, i: number, seed: number, slot: ChannelSlot | undefined): string {
  const percent = 1 + (hash(seed, i, 270) % 40)
  return `${percent}% of the requests to ${serviceOf(table, i, slot)} were slow or failed.`
}

function serviceOf(table: StoryTable, i: number, slot: ChannelSlot | undefined): string {
  return slot?.services[table.service[i]!] ?? 'unassigned-service'
}
