import { copyProgram, type Place } from '../copied-program.ts'

/** Milliseconds after which PostgreSQL drops a silent machine. In production it is a minute. */
export const SILENT_MS = 10_000
/** Changes to the program: minutes become seconds, and a machine can have a wrong clock. */
export const SHORT: readonly Place[] = [
  {
    what: 'a lease',
    file: 'bin/parts/',
    from: 'silentMs = 6e4;',
    to: `silentMs = ${SILENT_MS};`,
  },
  {
    what: 'how often a worker looks for work',
    file: 'bin/parts/',
    from: 'const LOOK_MS = 5e3;',
    to: 'const LOOK_MS = 500;',
  },
  {
    what: 'the clock of the machine',
    file: 'bin/faultline.js',
    from: '#!/usr/bin/env node\n',
    to: '#!/usr/bin/env node\n{ const now = Date.now; Date.now = () => now() + Number(process.env.AHEAD_MS ?? 0); }\n',
  },
]

/** Builds the program that all machines run. @param defects defects to put back into the program */
export function programOf(defects: readonly Place[] = []) {
  return copyProgram([...SHORT, ...defects])
}
