import { join } from 'node:path'
import type { Postgres } from '../../support/lake.ts'
import { act } from './acts.ts'
import { judges } from './judges/index.ts'
import type { Script } from './script.ts'
import { Stage } from './stage.ts'

/** A process in a namespace of its own: its id is 1 there. */
const CONTAINED = ['unshare', '--pid', '--fork', '--kill-child=SIGKILL']

let played = 0

/**
 * Plays a script, and asks all judges.
 * @param folder of the program that the machines run
 * @returns what they say: nothing when every promise is kept
 */
export async function play(script: Script, postgres: Postgres, folder: string): Promise<string[]> {
  const node = [process.execPath, join(folder, 'dist/bin/faultline.js')] as const
  const program = script.isContained ? ([...CONTAINED, ...node] as unknown as typeof node) : node
  const stage = await Stage.open(`script_${++played}`, postgres, program)
  try {
    for (const step of script.steps) {
      try {
        await act(stage, step)
      } catch (error) {
        throw new Error(`${step}: ${(error as Error).message}\n${stage.told()}`)
      }
    }
    const seen = await stage.settle()
    const said: string[] = []
    for (const { name, look } of judges) said.push(...(await look(seen)).map((words) => `${name}: ${words}`))
    return said
  } finally {
    await stage.close()
  }
}
