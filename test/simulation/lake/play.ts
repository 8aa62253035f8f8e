import { join } from 'node:path'
import type { Postgres } from '../../support/lake.ts'
import { act } from './acts.ts'
import { judges } from './judges/index.ts'
import type { Script } from './script.ts'
import { Stage } from './stage.ts'

/** A process in a separate namespace, where its id is 1. */
const CONTAINED = ['unshare', '--pid', '--fork', '--kill-child=SIGKILL']

let played = 0

/** Performs all steps until one fails. Returns the messages about the failed step. */
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
 * Plays a script, and asks all judges.
 * @param folder of the program that the machines run
 * @returns the messages of judges, with the script if a step failed, empty if every promise holds
 */
export async function play(script: Script, postgres: Postgres, folder: string): Promise<string[]> {
  const node = [process.execPath, join(folder, 'dist/bin/faultline.js')] as const
  const program = script.isContained ? ([...CONTAINED, ...node] as unknown as typeof node) : node
  const stage = await Stage.open(`script_${++played}`, postgres, program)
  try {
    const said = await inOrder(stage, script)
    const seen = await stage.settle()
    for (const { name, look } of judges) said.push(...(await look(seen)).map((words) => `${name}: ${words}`))
    return said
  } finally {
    await stage.close()
  }
}
