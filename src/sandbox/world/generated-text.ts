import { hash, pick } from '../random.ts'
import { CHECKS, regionOf } from './checks.ts'
import type { Company, CompanyChannel } from './company.ts'
import { ENVIRONMENTS } from './names.ts'
import type { Timeline } from './timeline.ts'

const CLUSTERS = 6

const REPORTED: readonly string[] = [
  'Customers report failed orders',
  'Support sees duplicate charges',
  'Warehouse cannot print labels',
  'Login page stays blank for some users',
  'Partner says webhooks stopped at noon',
]

/** One in this many incidents has a title that could break a page, like titles that real monitors can send. */
const HOSTILE_EVERY = 250
const HOSTILE: readonly string[] = [
  '<script>alert("x")</script> on checkout',
  '<img src=x onerror=alert(1)>',
  '[click me](javascript:alert(1)) **bold** | table | `code`',
  '=HYPERLINK("http://example.invalid","open")',
  '+1+1 @SUM(A1:A9)',
  '\u202Etxt.exe\u202C reversed \u2066isolated\u2069',
  '\u001b[31mred\u001b[0m \u001b]0;title\u0007 escape',
  'Zero\u200bwidth and \u00a0nbsp and \u0000nul',
  'Disk full \u{1F4A5}\u{1F468}\u200d\u{1F692} on node-7',
  '磁盘空间不足：支付网关 – قرص ممتلئ',
  '{{ constructor.constructor("return 1")() }} #{7*7} <%= 1 %>',
  "'; DROP TABLE incidents; --",
  'line one\nline two\r\nline three\ttab',
  `very long ${'title '.repeat(60)}end`,
]

export function serviceOf(timeline: Timeline, channel: CompanyChannel | undefined): string {
  return channel?.services[timeline.service] ?? 'unassigned-service'
}

export function titleOf({ seed, story }: Company, timeline: Timeline, channel: CompanyChannel | undefined) {
  const { index } = timeline
  if (!story && hash(seed, index, 271) % HOSTILE_EVERY === 0) return pick(HOSTILE, seed, index, 272)
  if (timeline.creator !== 0) return pick(REPORTED, seed, index, 273)
  return CHECKS[timeline.check]!.title(serviceOf(timeline, channel), seed, index)
}

export function descriptionOf(timeline: Timeline): string {
  return timeline.creator === 0
    ? CHECKS[timeline.check]!.description
    : 'Reported by a colleague. Please check whether more customers are affected.'
}

/** Returns the labels of an incident. Incidents that a member reported have no alerts, and therefore no labels. */
export function labelsOf(seed: number, timeline: Timeline, channel: CompanyChannel | undefined) {
  const { index, check, creator } = timeline
  if (creator !== 0) return {}
  return {
    service: serviceOf(timeline, channel),
    check: CHECKS[check]!.name,
    region: regionOf(seed, index),
    env: pick(ENVIRONMENTS, seed, index, 257),
    cluster: `k8s-${hash(seed, index, 258) % CLUSTERS}`,
  }
}

export function impactOf(seed: number, timeline: Timeline, channel: CompanyChannel | undefined): string {
  const percent = 1 + (hash(seed, timeline.index, 270) % 40)
  return `${percent}% of the requests to ${serviceOf(timeline, channel)} were slow or failed.`
}
