import type { Place } from '../copied-program.ts'

/** A defect of the program that a judge catches in a script. */
export interface Defect extends Place {
  readonly script: string
  readonly judge: string
}

export const defects: readonly Defect[] = [
  {
    what: 'what was never done waits for its turn',
    file: 'bin/parts/run-jobs-',
    from: 'Number(isNew(b)) - Number(isNew(a)) || ',
    to: '',
    script: 'an account that nobody has read comes first',
    judge: 'turns',
  },
]
