import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Editors save a file in several steps, so all events within this time count as one save. */
const SETTLED_MS = 120

/** Calls `rebuild` at the start and after every save, one at a time. Watches folders, because many editors save by rename. */
export async function watchFiles(
  files: readonly string[],
  rebuild: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let wake = () => {}
  let saved = true
  const onSave = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      saved = true
      wake()
    }, SETTLED_MS)
  }
  const folders = [...new Set(files.map((file) => dirname(file)))]
  const watchers: FSWatcher[] = folders.map((folder) => {
    const names = new Set(files.filter((file) => dirname(file) === folder).map((file) => basename(file)))
    return watch(folder, (_, name) => {
      if (name === null || names.has(name)) onSave()
    })
  })
  const stop = () => wake()
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      if (saved) {
        saved = false
        await rebuild()
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve
          // Handles a save before this point, which could not call `wake` yet.
          if (saved || signal.aborted) resolve()
        })
      }
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    for (const watcher of watchers) watcher.close()
  }
}
