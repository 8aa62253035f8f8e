import { readFileSync } from 'node:fs'

/** Whether a process of this machine runs. One that ended but was not collected by its parent does not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  return stateOf(pid) !== 'Z'
}

/** The letter behind the name, which may hold anything (proc(5)); undefined where there is no such file. */
function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat[stat.lastIndexOf(')') + 2]
  } catch {
    return undefined
  }
}
