import { ReportError } from '../../errors.ts'

/** A position in a report file. `line` counts from 1. */
export interface Place {
  file: string
  line: number
}

/** Handles a mistake in a report file. A run throws the first one, and a check collects all. */
export type Tell = (mistake: ReportError) => void

export const stop: Tell = (mistake) => {
  throw mistake
}

/** Runs a function, and reports a thrown ReportError instead of throwing it. */
export function attempt<Result>(act: () => Result, tell: Tell): Result | undefined {
  try {
    return act()
  } catch (mistake) {
    if (!(mistake instanceof ReportError)) throw mistake
    tell(mistake)
    return undefined
  }
}
