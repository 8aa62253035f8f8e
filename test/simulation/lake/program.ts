import { copyProgram, type Place } from '../copied-program.ts'

/** The time until PostgreSQL drops a silent machine, milliseconds. In production it is a minute. */
export const SILENT_MS = 10_000
/** Shortens minutes to seconds, and allows a wrong clock of a machine. */
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

/** Builds the program of all machines. @param defects to put back into it */
export function programOf(defects: readonly Place[] = []) {
  return copyProgram([...SHORT, ...defects])
}
