import { mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { watchFiles } from '../../../src/cli/report/watch.ts'

/** Watches a file. The promise `built` resolves after this number of builds. */
function watched(rebuild: (times: number, file: string) => Promise<void> = async () => {}) {
  const file = join(mkdtempSync(join(tmpdir(), 'faultline-watch-')), 'r.md')
  writeFileSync(file, 'one')
  const stopping = new AbortController()
  let times = 0
  const waiting: { least: number; resolve: () => void }[] = []
  const done = watchFiles(
    [file],
    async () => {
      await rebuild(++times, file)
      for (const { least, resolve } of waiting) if (times >= least) resolve()
    },
    stopping.signal,
  )
  return {
    file,
    done,
    stop: () => stopping.abort(),
    times: () => times,
    built: (least: number) =>
      times >= least ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ least, resolve })),
  }
}

describe('watching a report file', () => {
  test('rebuilds the report after every save, even a save by rename', async () => {
    const one = watched()
    await one.built(1)
    writeFileSync(one.file, 'two')
    await one.built(2)
    writeFileSync(`${one.file}~`, 'three')
    renameSync(`${one.file}~`, one.file)
    await one.built(3)
    one.stop()
    await one.done
  })

  test('rebuilds the report once for several writes in quick succession', async () => {
    const one = watched()
    await one.built(1)
    for (let step = 0; step < 5; step++) writeFileSync(one.file, String(step))
    await one.built(2)
    writeFileSync(join(one.file, '..', 'other.md'), 'x')
    await sleep(300)
    expect(one.times()).toBe(2)
    one.stop()
    await one.done
  })

  test('rebuilds the report once more if the file is saved during a build', async () => {
    let running = 0
    const one = watched(async (times, file) => {
      expect(++running).toBe(1)
      if (times === 1) {
        writeFileSync(file, 'during')
        await sleep(400)
      }
      running--
    })
    await one.built(2)
    one.stop()
    await one.done
  })

  test('ends immediately when aborted or when a build fails', async () => {
    const one = watched()
    await one.built(1)
    one.stop()
    await one.done
    const other = watched(async () => {
      throw new Error('fatal')
    })
    await expect(other.done).rejects.toThrow('fatal')
  })
})
