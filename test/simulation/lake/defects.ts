import type { Place } from '../copied-program.ts'

/**
 * A defect to put into the program, and a script that reveals it. At least one judge in `says`, or the script itself,
 * must report the defect.
 */
export interface Defect {
  readonly what: string
  /** A defect has several places if one part of the program compensates for another. */
  readonly places: readonly Omit<Place, 'what'>[]
  readonly script: string
  readonly says: readonly string[]
}

const PARTS = 'bin/parts/'

/** Each of these places alone stops a machine that is cut off, so the defect must disable all of them. */
const DEAF = [
  { file: PARTS, from: 'if (isOnce) throw error;', to: '' },
  { file: PARTS, from: 'AbortSignal.any([signal, lease.lost])', to: 'signal' },
  {
    file: PARTS,
    from: 'AbortSignal.any([sync.signal, warehouse.lease.lost])',
    to: 'sync.signal',
  },
]

export const defects: readonly Defect[] = [
  {
    what: 'a sync that never ran gets no precedence',
    places: [{ file: PARTS, from: 'Number(isNew(b)) - Number(isNew(a)) || ', to: '' }],
    script: 'an account that was never read comes first',
    says: ['turns'],
  },
  {
    what: 'a lost lease does not stop the machine',
    places: DEAF,
    script: 'paused while reading, and resumed while another machine is reading',
    says: ['senders'],
  },
  {
    what: 'a commit is retried on top of another machine’s commit, and is not terminated',
    places: [
      ...DEAF,
      { file: PARTS, from: 'ducklake_max_retry_count = 0', to: 'ducklake_max_retry_count = 10' },
      { file: PARTS, from: 'select pg_terminate_backend(pid) from', to: 'select pid from' },
    ],
    script: 'cut off during its commit until another machine has published',
    says: ['rows'],
  },
]
