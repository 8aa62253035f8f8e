import { hash, hex, pick } from '../random.ts'
import { REGIONS } from './names.ts'

interface Check {
  readonly name: string
  title(service: string, seed: number, index: number): string
  readonly description: string
  readonly cause: string
  readonly fix: string
}

function between(low: number, high: number, seed: number, index: number): number {
  return low + (hash(seed, index, 31) % (high - low + 1))
}

export function regionOf(seed: number, index: number): string {
  return pick(REGIONS, seed, index, 32)
}

export const CHECKS: readonly Check[] = [
  {
    name: 'latency_p99',
    title: (service, s, i) =>
      `${service} p99 latency above ${between(8, 60, s, i) * 50} ms in ${regionOf(s, i)}`,
    description:
      'The slowest percent of requests has been above its threshold for five minutes. Dependants may time out.',
    cause: 'A query without an index was shipped with the last release.',
    fix: 'The release was rolled back and the index added.',
  },
  {
    name: 'error_rate',
    title: (service, s, i) =>
      `${service}: ${between(2, 38, s, i)}% of requests fail with 5xx in ${regionOf(s, i)}`,
    description:
      'The share of failed requests is above its threshold. The runbook names the dashboards to open first.',
    cause: 'A dependency refused connections after its certificate was renewed.',
    fix: 'Connection pools were restarted; the renewal now reloads them.',
  },
  {
    name: 'crash_loop',
    title: (service, s, i) => `Pod ${service}-${hex(hash(s, i, 33), 4)} is in CrashLoopBackOff`,
    description: 'The container restarted more than five times in ten minutes. The last exit code was 137.',
    cause: 'The memory limit was lower than what the new cache needs at start.',
    fix: 'The limit was raised and the cache is now filled lazily.',
  },
  {
    name: 'disk_usage',
    title: (service, s, i) => `Disk ${between(86, 99, s, i)}% full on ${service}-${between(1, 24, s, i)}`,
    description:
      'Free space is below its threshold and falls. At the present rate the volume is full within hours.',
    cause: 'Debug logging was left on after an earlier incident.',
    fix: 'Logs were rotated and the level set back.',
  },
  {
    name: 'consumer_lag',
    title: (service, s, i) => `${service} is ${between(20, 900, s, i)}k messages behind`,
    description:
      'The consumer group does not keep up. Downstream data is late, nothing is lost while retention holds.',
    cause: 'One partition received most keys after a schema change.',
    fix: 'Keys were spread again and two consumers added.',
  },
  {
    name: 'certificate',
    title(service, s, i) {
      const days = between(1, 13, s, i)
      return `TLS certificate of ${service} expires in ${days} day${days === 1 ? '' : 's'}`
    },
    description:
      'Automatic renewal has not replaced the certificate. Clients will refuse the connection when it expires.',
    cause: 'The renewal job lost its permission when roles were cleaned up.',
    fix: 'The permission was restored and the certificate renewed by hand.',
  },
  {
    name: 'replication_lag',
    title: (service, s, i) => `Replica of ${service} lags ${between(30, 2_400, s, i)} s behind its primary`,
    description:
      'Reads from the replica are stale. Reports and search may show old values until it catches up.',
    cause: 'A long migration held locks on the primary.',
    fix: 'The migration was split into small steps.',
  },
  {
    name: 'synthetic',
    title: (service, s, i) => `Synthetic check of ${service} fails from ${regionOf(s, i)}`,
    description: 'The scripted user journey did not finish in three tries from at least two places.',
    cause: 'A content change removed the element the journey waits for.',
    fix: 'The journey was adapted; the change is now announced.',
  },
  {
    name: 'memory',
    title: (service, s, i) => `Memory ${between(88, 99, s, i)}% on ${service} in ${regionOf(s, i)}`,
    description:
      'Resident memory grows without falling after garbage collection. The process may be killed soon.',
    cause: 'A client library kept one buffer per connection.',
    fix: 'The library was updated.',
  },
  {
    name: 'deploy',
    title: (service, s, i) => `Deploy ${between(100, 4_000, s, i)} of ${service} failed its health check`,
    description:
      'The new version did not become healthy in time and was not promoted. The old one still serves.',
    cause: 'A required setting was missing in this environment.',
    fix: 'The setting was added and the deploy repeated.',
  },
  {
    name: 'batch',
    title: (service) => `Nightly run of ${service} did not finish in its window`,
    description: 'The batch has not reported success. Figures of the day are not complete until it does.',
    cause: 'The input was three times its usual size after a campaign.',
    fix: 'The run was repeated with more workers.',
  },
]
