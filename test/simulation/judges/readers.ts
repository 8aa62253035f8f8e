import { type Judge, Memory } from '../judge.ts'

export function readers(): Judge {
  const memory = new Memory<string>()
  return {
    name: 'readers',
    promise: 'readers never see half a state',
    async look(seen) {
      const { last, sights, rows } = seen
      const now = String((await rows(SIGHT))[0]?.sight ?? '')
      // After a backup was restored, `before` is what readers saw at the time of the backup.
      const before = memory.before(seen) ?? ''
      memory.keep(seen, now)
      const untold =
        before !== now && !last.published
          ? [`readers see ${now} after ${before}, although the sync published nothing`]
          : []
      const between = sights.filter((sight) => sight !== before && sight !== now)
      return [...untold, ...between.map((sight) => `a reader saw ${sight}, neither ${before} nor ${now}`)]
    },
  }
}

/**
 * Finds the newest run, the number of open windows and a hash of all rows. `_hash` alone would not show a change by
 * another program.
 */
export const SIGHT = `select concat_ws(' ', (select max(run_id) from sync_runs), (select count(*) from incidents),
  (select sum(hash(incidents) % 1000000) from incidents), (select count(*) from sync_windows where state = 'open')) as sight`
