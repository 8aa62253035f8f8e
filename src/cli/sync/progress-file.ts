import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Effects } from '../../effects.ts'
import { PRIVATE } from '../../warehouse/file/files.ts'
import type { Published } from '../../warehouse/published.ts'

/** Where a sync stands, for `status`: nobody else can look into the file that it writes. */
interface UnderWay {
  readonly pid: number
  /** ISO, UTC. */
  readonly at: string
  /** As on a terminal. */
  readonly line: string
}

const EVERY_MS = 2_000

const fileOf = ({ files }: Published) => join(files.folder, 'under-way.json')

/** Notes where the sync of this process stands, now and then, until it has ended. What cannot be noted is not missed. */
export function trackProgress(published: Published, { now }: Pick<Effects, 'now'>) {
  const file = fileOf(published)
  let notedAt = Number.NEGATIVE_INFINITY
  return {
    note(line: string): void {
      if (now() - notedAt < EVERY_MS) return
      notedAt = now()
      const under: UnderWay = { pid: process.pid, at: new Date(notedAt).toISOString(), line }
      try {
        writeFileSync(file, JSON.stringify(under), { mode: PRIVATE })
      } catch {}
    },
    end() {
      // Another process may have noted its own.
      if (notedAt > Number.NEGATIVE_INFINITY) rmSync(file, { force: true })
    },
  }
}

/** Where the sync stood that was last under way; undefined where none says so. */
export function readProgress(published: Published): UnderWay | undefined {
  try {
    const { pid, at, line } = JSON.parse(readFileSync(fileOf(published), 'utf8'))
    return { pid: Number(pid), at: String(at), line: String(line) }
  } catch {
    return undefined
  }
}
