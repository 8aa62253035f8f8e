import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Effects } from '../../effects.ts'
import { PRIVATE } from '../../warehouse/file/files.ts'
import type { Published } from '../../warehouse/published.ts'

/** Progress of a running sync, for `status`, because other processes cannot read the file to which the sync writes. */
interface UnderWay {
  readonly pid: number
  readonly at: string
  readonly line: string
}

const EVERY_MS = 2_000

const fileOf = ({ files }: Published) => join(files.folder, 'under-way.json')

/** Records the progress of this process's sync every few seconds until the sync ends. Write errors are ignored. */
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
      // If this process recorded nothing, another process might have written the file.
      if (notedAt > Number.NEGATIVE_INFINITY) rmSync(file, { force: true })
    },
  }
}

/** Returns the progress of the last running sync. Undefined if there is no record. */
export function readProgress(published: Published): UnderWay | undefined {
  try {
    const { pid, at, line } = JSON.parse(readFileSync(fileOf(published), 'utf8'))
    return { pid: Number(pid), at: String(at), line: String(line) }
  } catch {
    return undefined
  }
}
