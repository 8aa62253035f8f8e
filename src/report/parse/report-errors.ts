import { ReportError } from '../../errors.ts'

/** A place in a report file. Lines are counted from 1. */
export interface Place {
  file: string
  line: number
}

/** Handles a mistake in a report file. A run stops at the first mistake, and a check collects all of them. */
export type Tell = (mistake: ReportError) => void

export const stop: Tell = (mistake) => {
  throw mistake
}

/** Reports a ReportError instead of throwing it. */
export function attempt<Result>(act: () => Result, tell: Tell): Result | undefined {
  try {
    return act()
  } catch (mistake) {
    if (!(mistake instanceof ReportError)) throw mistake
    tell(mistake)
    return undefined
  }
}
