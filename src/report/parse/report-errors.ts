import { ReportError } from '../../errors.ts'

/** A place in a report file; `line` counts from 1. */
export interface Place {
  file: string
  line: number
}

/** What becomes of a mistake in a report file: a run stops at the first, a check gathers all. */
export type Tell = (mistake: ReportError) => void

/** For a run. */
export const stop: Tell = (mistake) => {
  throw mistake
}

/** Does something that throws `ReportError`; when it does, tells and goes on without a result. */
export function attempt<Result>(act: () => Result, tell: Tell): Result | undefined {
  try {
    return act()
  } catch (mistake) {
    if (!(mistake instanceof ReportError)) throw mistake
    tell(mistake)
    return undefined
  }
}
