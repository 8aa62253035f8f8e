import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Postgres } from '../../support/lake.ts'
import { act } from './acts.ts'
import { judges } from './judges/index.ts'
import type { Script } from './script.ts'
import { Stage } from './stage.ts'

/** Runs a process in its own namespace, where its process id is 1. */
const CONTAINED = ['unshare', '--pid', '--fork', '--kill-child=SIGKILL']

/** Shorter than the timeout of the test, which would show no output of the machines. */
const STUCK_MS = 540_000

let played = 0

/** Performs the steps in order until one fails. Returns the messages about the failed step. */
async function inOrder(stage: Stage, { steps }: Script): Promise<string[]> {
  for (const step of steps) {
    try {
      await act(stage, step)
    } catch (error) {
      return [`script: ${step}: ${(error as Error).message}\n${stage.told()}`]
    }
  }
  return []
}

/**
 * Performs the steps of a script, then runs all judges.
 * @param folder contains the program that the machines run
 * @returns messages of the judges and about a failed step, empty if every promise holds
 */
export async function play(script: Script, postgres: Postgres, folder: string): Promise<string[]> {
  const node = [process.execPath, join(folder, 'dist/bin/faultline.js')] as const
  const program = script.isContained ? ([...CONTAINED, ...node] as unknown as typeof node) : node
  const stage = await Stage.open(`script_${++played}`, postgres, program)
  const stuck = pause(STUCK_MS, undefined, { ref: false }).then(() => [
    `script: it did not end in ${STUCK_MS / 60_000} minutes\n${stage.told()}`,
  ])
  try {
    return await Promise.race([judged(stage, script), stuck])
  } finally {
    await stage.close()
  }
}

async function judged(stage: Stage, script: Script): Promise<string[]> {
  const said = await inOrder(stage, script)
  const seen = await stage.settle()
  for (const { name, look } of judges) said.push(...(await look(seen)).map((words) => `${name}: ${words}`))
  return said
}
