import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one plain line that any program can read: `N passed, N failed, N skipped`. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    let broken = 0
    for (const module of modules) {
      // A file that could not be loaded counts as a failure.
      if (module.errors().length > 0) broken++
      for (const test of module.children.allTests()) counts[test.result().state]++
    }
    const failed = counts.failed + counts.pending + broken
    console.log(`${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped`)
  }
}
