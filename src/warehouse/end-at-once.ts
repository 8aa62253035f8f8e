/**
 * Does work for which DuckDB asks this thread for rows, and waits for the answer. A process that exits meanwhile would
 * answer no more, but wait for DuckDB without end, with the lock of the warehouse in its hand; so it is killed instead.
 * What a kill leaves is whole.
 */
export async function endAtOnce<Result>(work: () => Promise<Result>): Promise<Result> {
  process.on('exit', kill)
  try {
    return await work()
  } finally {
    process.off('exit', kill)
  }
}

function kill() {
  process.kill(process.pid, 'SIGKILL')
}
