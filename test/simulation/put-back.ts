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
}

/** Disturbances that were added after the seeds of the defects were chosen, so these simulations exclude them. */
const LATER = [
  ...['no room', 'outage of days', 'teams merged', 'shorter history'],
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
export async function simulateWith(defect: Defect): Promise<string> {
  const { folder, remove } = copyProgram([defect])
  const size = ['--seed', String(defect.seed), '--nights', String(defect.nights), '--without', LATER]
  try {
    const main = join(folder, 'dist/simulation/main.js')
    const ran = await promisify(execFile)(process.execPath, [main, '--no-shrink', ...size], {
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
