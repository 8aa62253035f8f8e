import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Judge } from '../judge.ts'

/** Maximum bytes of an empty database, and of one row in each copy of the database. */
const BYTES_EMPTY = 16_000_000
const BYTES_A_ROW = 3_000
/**
 * Permitted growth of the number of open handles. Sockets and timers of the sandbox and its clients vary by up to this
 * number.
 */
const HANDLES_MORE = 12
/** Nights before the first count of handles. By then, pools and caches are full. */
const NIGHTS_WARM = 5

export function growth(): Judge {
  let handlesWarm: number | undefined
  return {
    name: 'growth',
    promise: 'files, handles and bytes do not grow without rows',
    async look({ folder, rows, last, isWrittenTo }) {
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        statSync(join(folder, name), { throwIfNoEntry: false })?.isFile(),
      )
      const strange = names.filter(
        (name) => !KNOWN.some((known) => known.test(name)) && !(isWrittenTo && name === 'w.duckdb.wal'),
      )
      const bytes = names.reduce(
        (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      )
      const [counted] =
        await rows(`select (select count(*) from incidents) + (select count(*) from incident_versions)
        + (select count(*) from sync_windows) + (select count(*) from sync_checks) as n`)
      const copies = names.filter((name) => DATABASE.test(name)).length
      const most = copies * (BYTES_EMPTY + BYTES_A_ROW * Number(counted?.n ?? 0))
      const handles = readdirSync('/proc/self/fd').length
      if (last.night >= NIGHTS_WARM) handlesWarm ??= handles
      return [
        ...(last.status === 'killed' ? [] : strange.map((name) => `${name} is left in the folder`)),
        ...(bytes > most ? [`${bytes} bytes for ${counted?.n} rows`] : []),
        ...(handlesWarm !== undefined && handles > handlesWarm + HANDLES_MORE
          ? [`${handles} handles are open, ${handlesWarm} were in the beginning`]
          : []),
      ]
    },
  }
}

/** Database files, whose total size is limited. `KNOWN` limits which of them may exist. */
const DATABASE = /\.duckdb(\.wal)?(\.aside)?$/

/** Files that a sync may leave behind. After a killed sync, other files may exist until the next sync removes them. */
const KNOWN = [
  /^w\.duckdb$/,
  /^w\.duckdb\.(report-runs|deliveries)\.ndjson$/,
  /^w\.duckdb\.sync\/\d+\.duckdb(\.wal)?(\.aside)?$/,
  /^w\.duckdb\.sync\/former\.duckdb$/,
  /^w\.duckdb\.sync\/(\d+|publish)\.lock$/,
  /^w\.duckdb\.sync\/(generation|under-way)\.json$/,
  /^w\.duckdb\.sync\/published\.duckdb(\.wal)?\.aside$/,
]
