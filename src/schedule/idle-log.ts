import type { Log } from '../effects.ts'
import { isBegun, type JobState } from './due.ts'
import type { KnownJobs } from './job-store.ts'

interface Said {
  readonly message: string
  readonly facts: Record<string, unknown>
}

/** Returns a logger that skips a message if it equals the previous one. Each check for due jobs logs a message. */
export function saying(log: Log) {
  let last = ''
  return (level: 'info' | 'warn', said: Said) => {
    const text = JSON.stringify(said)
    if (text !== last) log[level](said.message, said.facts)
    last = text
  }
}

/** Returns a message that explains why the process runs no job. */
export function idleNote(states: readonly JobState[], { now, holders }: KnownJobs): Said {
  const nextOf = ({ nextRunAt, record }: JobState) => (isBegun(record) ? record.startedAt : nextRunAt)
  const times = states.filter((state) => nextOf(state) !== null)
  const busy = times.filter((state) => nextOf(state)! <= now)
  if (busy.length > 0) {
    const held = busy.map(({ job: { name } }) => [name, holders.get(name) ?? null])
    const message =
      holders.size > 0 ? 'other processes run the due jobs' : 'due jobs are waiting for a free slot'
    return { message, facts: { jobs: Object.fromEntries(held) } }
  }
  const [next] = times.sort((a, b) => nextOf(a)! - nextOf(b)!)
  if (next === undefined) return { message: 'nothing is ever due', facts: {} }
  const until = `${new Date(nextOf(next)!).toISOString().slice(0, 16)}Z`
  return { message: `nothing is due until ${until}`, facts: { job: next.job.name } }
}
