import type { Came } from '../door.ts'
import type { Judge, Seen } from '../judge.ts'

export function senders(): Judge {
  return {
    name: 'senders',
    promise: 'one holder sends',
    async look(seen) {
      const accounts = [...new Set(seen.came.map(({ account }) => account))]
      return accounts.flatMap((account) => {
        const came = seen.came.filter((one) => one.account === account)
        return interleaved(came, seen).map((words) => `account ${account}: ${words}`)
      })
    },
  }
}

const sender = ({ machine, process }: Came) => `process ${process} of ${machine}`

/**
 * Reports a process that sends requests for an account after another process has taken the account over. Allowed if the
 * other process has ended, or if a night has passed.
 */
function interleaved(came: readonly Came[], { ran, nights }: Seen): string[] {
  const found: string[] = []
  const earlier: Came[] = []
  for (const one of came) {
    const last = earlier.at(-1)
    if (last !== undefined && sender(last) !== sender(one)) {
      const before = earlier.findLast((other) => sender(other) === sender(one))
      const isOver = ran.some(
        ({ machine, process, at }) => sender(last) === `process ${process} of ${machine}` && at < one.at,
      )
      const isNew = nights.some((at) => before !== undefined && before.at < at && at < one.at)
      if (before !== undefined && !isOver && !isNew)
        found.push(
          `${sender(one)} sent ${Math.round(one.at - last.at)} ms after ${sender(last)} had taken over`,
        )
    }
    earlier.push(one)
  }
  return found
}
