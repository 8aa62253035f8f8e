import type { Judge, Ran, Seen } from '../judge.ts'

/**
 * After all outages have ended, the next machine must do all remaining jobs, and must start with jobs that never ran.
 */
export function turns(): Judge {
  return {
    name: 'turns',
    promise: 'no account starves',
    async look({ last, ran, truth }: Seen) {
      const lines = linesOf(last)
      const before = new Set(
        ran.filter((one) => one !== last).flatMap((one) => linesOf(one).map(({ job }) => job)),
      )
      const order = lines.filter(({ message }) => message === 'job started').map(({ job }) => job)
      const isLate = order.map(
        (job, index) => !before.has(job) && order.slice(0, index).some((one) => before.has(one)),
      )
      const done = [...ran]
        .flatMap(linesOf)
        .filter(({ message, outcome }) => message === 'job ended' && outcome === 'ok')
      return [
        ...(last.code === 0 ? [] : [`what was left to do ended with ${last.code}: ${last.out}${last.err}`]),
        ...[...truth.keys()]
          .filter(
            (account) =>
              !done.some(({ job }) => job === `sync:c${account}` || job === `sync:other name of ${account}`),
          )
          .map((account) => `account ${account} was never synced: ${last.err}`),
        ...order.flatMap((job, index) =>
          isLate[index] ? [`${job} was never done, and came after others`] : [],
        ),
      ]
    },
  }
}

interface Line {
  readonly message: string
  readonly job?: string
  readonly outcome?: string
}

/** Parses the JSON lines in the log of a worker. */
export function linesOf({ err }: Ran): Line[] {
  return err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
}
