import type { Place } from '../copied-program.ts'

/** A defect of the program with its script, and those that must report it, which are judges or the script itself. */
export interface Defect {
  readonly what: string
  /** A defect has several places if one part of the program compensates for another. */
  readonly places: readonly Omit<Place, 'what'>[]
  readonly script: string
  readonly says: readonly string[]
}

const PARTS = 'bin/parts/'

/** Each of these parts ends a machine that is cut off. */
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
    what: 'what was never done waits for its turn',
    places: [{ file: PARTS, from: 'Number(isNew(b)) - Number(isNew(a)) || ', to: '' }],
    script: 'an account that nobody has read comes first',
    says: ['turns'],
  },
  {
    what: 'a lease that is lost ends nothing',
    places: DEAF,
    script: 'paused while it reads, and wakes while another does',
    says: ['senders'],
  },
  {
    what: 'a commit is tried again on top of that of another, and nobody ends it',
    places: [
      ...DEAF,
      { file: PARTS, from: 'ducklake_max_retry_count = 0', to: 'ducklake_max_retry_count = 10' },
      { file: PARTS, from: 'select pg_terminate_backend(pid) from', to: 'select pid from' },
    ],
    script: 'cut off in its commit, until another has published',
    says: ['rows'],
  },
]
