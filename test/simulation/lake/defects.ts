import type { Place } from '../copied-program.ts'

/** A defect of the program that a judge catches in a script. */
export interface Defect extends Place {
  readonly script: string
  readonly judge: string
}

export const defects: readonly Defect[] = [
  {
    what: 'a commit that met another is tried again on top of it',
    file: 'bin/parts/file-or-lake-',
    from: 'ducklake_max_retry_count = 0',
    to: 'ducklake_max_retry_count = 10',
    script: 'cut off in its commit, until another has published',
    judge: 'rows',
  },
  {
    what: 'a lease that was lost ends nothing',
    file: 'bin/parts/file-or-lake-',
    from: 'losing.abort(error);',
    to: '',
    script: 'cut off while it reads: it sends nothing any more before another does',
    judge: 'senders',
  },
  {
    what: 'who takes over does not wait for the limits',
    file: 'bin/parts/run-jobs-',
    from: 'const ms = WINDOW_MS - ',
    to: 'const ms = 0 * ',
    script: 'killed while it reads: the next one keeps the limits',
    judge: 'senders',
  },
  {
    what: 'what was never done waits for its turn',
    file: 'bin/parts/run-jobs-',
    from: 'Number(isNew(b)) - Number(isNew(a)) || ',
    to: '',
    script: 'an account that nobody has read comes first',
    judge: 'turns',
  },
]
