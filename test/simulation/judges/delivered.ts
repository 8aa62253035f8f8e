import { greenOf, type Judge } from '../judge.ts'

/** Exit status for stale data. The judge ignores it, because the simulated nights differ from the real clock. */
const STALE = 3

/**
 * The report of a night must contain the data of that night and arrive once. A report may arrive twice if its process
 * died before it recorded the delivery.
 */
export function delivered(): Judge {
  /** Ids of all received messages, with the time of their data. */
  const known = new Map<string, string>()
  return {
    name: 'delivered',
    promise: 'each report is made of the right night’s data and comes once',
    async look({ delivery, history, rows }) {
      if (delivery === undefined) return []
      const { messages, isKilled, ends } = delivery
      const last = greenOf(history) ?? { shown: history.findLast(({ published }) => published) }
      if (last.shown === undefined) return messages.map(() => 'a message came before anything was published')
      const [run] = await rows(`select strftime(max(as_of_at), '%Y-%m-%dT%H:%M:%S.000Z') as as_of,
        (select count(*)::int from incidents where vanished_at is null) as n from sync_runs`)
      const wasSent = [...known.values()].includes(run?.as_of as string)
      const most = wasSent ? 0 : isKilled ? 2 : 1
      const wrong = [
        ...(messages.length > most || (messages.length === 0 && !wasSent)
          ? [
              `${messages.length} messages came of data of ${run?.as_of}, at most ${most} were to: ${ends.map(({ code, err }) => `${code} ${err}`).join('; ')}`,
            ]
          : []),
        ...(new Set(messages.map(({ id }) => id)).size > 1 ? ['the same report came with two ids'] : []),
        ...messages
          .filter(({ asOf, incidents }) => asOf !== run?.as_of || incidents !== run?.n)
          .map(
            ({ asOf, incidents }) => `it says ${incidents} as of ${asOf}, not ${run?.n} as of ${run?.as_of}`,
          ),
        ...ends
          // Only the first process is killed, and only if planned.
          .filter(({ code }, k) => code !== 0 && code !== STALE && !(code === null && isKilled && k === 0))
          .map(({ code, err }) => `a report ended with ${code}: ${err}`),
      ]
      for (const { id, asOf } of messages) known.set(id, asOf)
      return wrong
    },
  }
}
