import { programOnPath } from './find-executable.ts'

/**
 * The command line that long results are shown by: the variable `PAGER`, else `less -FRX` where there is one. Null without one, and
 * where `PAGER` is empty, which switches it off.
 */
export function findPager(environment: NodeJS.ProcessEnv = process.env): string | null {
  if (environment.PAGER !== undefined) return environment.PAGER.trim() || null
  return programOnPath(['less'], environment) && 'less -FRX'
}
