import { defineConfig } from 'vitest/config'

declare module 'vitest' {
  interface ProvidedContext {
    /** `--mode large`: the kills and the simulated year run on their large worlds. */
    isLarge: boolean
  }
}

/** Tests run from the sources; those that start a process use `dist/`, which `npm test` builds first. */
export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/templates.ts'],
    provide: { isLarge: mode === 'large' },
    // More than any needs on a quiet machine by far: that another is busy is no mistake of the program.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // One more than two cores: many of the tests wait for limits, retries and processes.
    maxWorkers: 3,
    // Files of one worker share what they import: no file may leave a change behind in it.
    isolate: false,
    reporters: ['default', './test/summary.ts'],
  },
}))
