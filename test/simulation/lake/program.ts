import { copyProgram, type Place } from '../copied-program.ts'

/** How long PostgreSQL waits for a machine that it does not hear of, milliseconds: a minute in production. */
export const SILENT_MS = 10_000
/** What takes minutes takes seconds here, and a machine's clock may be wrong. */
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

/** The program of all machines. @param defects are put back in it */
export function programOf(defects: readonly Place[] = []) {
  return copyProgram([...SHORT, ...defects])
}
