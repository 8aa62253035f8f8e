import type { Judge } from '../judge.ts'

/** A reader of the lake must see complete accounts, which do not change until the reader opens the lake again. */
export function readers(): Judge {
  return {
    name: 'readers',
    promise: 'a reader sees one state, and each run as a whole',
    async look({ sights }) {
      const halves = sights.filter(({ rows, keys }) => rows !== keys)
      const moved = sights.filter(({ opened, account, run, sum }) =>
        sights.some(
          (one) => one.account === account && (one.opened === opened || one.run === run) && one.sum !== sum,
        ),
      )
      return [
        ...halves.map(
          ({ account, rows, keys }) =>
            `a reader saw ${rows} incidents of account ${account}, ${keys} of them once`,
        ),
        ...moved.map(({ account, run }) => `run ${run} of account ${account} was seen as two states`),
      ]
    },
  }
}
