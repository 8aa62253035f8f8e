import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Editors save a file in several steps, so all events within this time count as one save. */
const SETTLED_MS = 120

/** Calls `rebuild` at once and after every save. Watches folders, because many editors replace a file to save it. */
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
  const watchers = folders.map((folder) =>
    watch(folder, (_, name) => {
      if (name === null || files.some((file) => dirname(file) === folder && basename(file) === name)) onSave()
    }),
  )
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
          // A save during `rebuild` has called an older `wake`, so `saved` must be checked again.
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
