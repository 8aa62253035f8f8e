import type { Judge } from '../judge.ts'

/** Whoever reads while a sync runs sees what was published before it, or what it published: nothing between. */
export function readers(): Judge {
  let shown = ''
  return {
    name: 'readers',
    promise: 'readers never see half a state',
    async look({ last, sights, rows, isRewritten }) {
      const now = String((await rows(SIGHT))[0]?.sight ?? '')
      // A backup was put back meanwhile, or rows were changed: what is seen first is what was there.
      const allowed = [isRewritten ? (sights[0] ?? '') : shown, now]
      // Killed, it may have published before it could say so.
      const isTold = last.published || last.status === 'killed' || isRewritten
      const untold =
        shown !== now && !isTold ? [`readers see ${now} after ${shown}, which the run does not say`] : []
      shown = now
      const between = sights.filter((sight) => !allowed.includes(sight))
      return [...untold, ...between.map((sight) => `a reader saw ${sight}, neither ${allowed.join(' nor ')}`)]
    },
  }
}

/** What a reader looks at: how far it was read, and a sum over all rows. */
export const SIGHT = `select concat_ws(' ', (select max(run_id) from sync_runs), (select count(*) from incidents),
  (select sum(_hash % 1000000) from incidents), (select count(*) from sync_windows where state = 'open')) as sight`
