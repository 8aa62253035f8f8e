import { defineConfig } from 'vitest/config'

/** Tests run from the sources; those that start a process use `dist/`, which `npm test` builds first. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', './test/summary.ts'],
  },
})
