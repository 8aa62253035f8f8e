import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyProgram, type Place } from './copied-program.ts'
import { KINDS } from './odd-kinds.ts'

/** A defect, once real or similar to a real one, that is put back on purpose to test the judges. */
export interface Defect extends Place {
  /** With this seed, the judge detects the defect within this number of nights. */
  readonly seed: number
  readonly nights: number
  readonly judge: string
  /** Disturbances and events that the simulation excludes. The default is `LATER`. */
  readonly without?: string
}

/**
 * Disturbances that were added after the seeds of most defects were chosen. Excluding these disturbances keeps the
 * older simulations unchanged.
 */
export const LATER = [
  ...['no room', 'outage of days', 'teams merged', 'backup of an older version put back', 'shorter history'],
  ...[
    'left open',
    'left open and closed',
    'left open and edited',
    'left open and deleted',
    'post-mortem deleted',
  ],
  ...['another client writes', 'another client has it open', ...Object.keys(KINDS)],
].join(',')

/** Simulates with a defect put back into a copy of the built program. @returns the output of `main.js` */
export async function simulateWith(defect: Defect, args: readonly string[]): Promise<string> {
  const { folder, remove } = copyProgram([defect])
  try {
    const main = join(folder, 'dist/simulation/main.js')
    const ran = await promisify(execFile)(process.execPath, [main, '--no-shrink', ...args], {
      maxBuffer: 1e8,
    }).catch((error: { stdout?: string; stderr?: string }) => ({
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? '',
    }))
    return ran.stdout + ran.stderr
  } finally {
    remove()
  }
}
