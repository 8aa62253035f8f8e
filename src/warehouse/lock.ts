import { rmSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { keepPrivate, makePrivate } from './private.ts'

/**
 * Takes the lock at `path` until the function it returns is called, or this process ends in whatever way. It is the
 * operating system's lock on a file of its own, taken by DuckDB, since Node has no call for it: the one on the working
 * file has to be given back before that can be copied, and is lost by any reading of the file in this process.
 * @throws what DuckDB says when another process holds it, or the file cannot be written
 */
export async function takeLock(path: string): Promise<() => void> {
  const release = keepPrivate()
  try {
    makePrivate(path)
    const instance = await open(path).catch((cause: unknown) => {
      if (!/not a valid DuckDB/i.test(String(cause))) throw cause
      // Left half-made by a process that was killed: whoever held it would have kept us from reading it.
      rmSync(path)
      return open(path)
    })
    return () => instance.closeSync()
  } finally {
    release()
  }
}

function open(path: string): Promise<DuckDBInstance> {
  return DuckDBInstance.create(path, { threads: '1' })
}
