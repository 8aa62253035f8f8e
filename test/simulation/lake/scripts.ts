import type { Script } from './script.ts'

const MANY: readonly Script[] = [
  { name: 'two machines begin at once', steps: ['begin A', 'begin B', 'end A', 'end B'] },
  {
    name: 'three machines begin at once',
    steps: ['begin A', 'begin B', 'begin C', 'end A', 'end B', 'end C'],
  },
  {
    name: 'two that go on share a night, and one of them dies',
    steps: [
      ...([
        'serve A',
        'serve B',
        'hear A: nothing is due',
        'hear B: nothing is due',
        'kill A',
        'night',
      ] as const),
      ...(['hear B: a job has ended', 'hear B: nothing is due'] as const),
    ],
  },
  { name: 'an account that nobody has read comes first', steps: ['begin A on 11', 'end A', 'night'] },
  {
    name: 'one is stopped while it reads',
    steps: ['begin A', 'hold A at 8', 'stop A', 'free A', 'end A', 'begin B', 'end B'],
  },
]

/** One dies; what it had is another's at once. */
const KILLED: readonly Script[] = [
  {
    name: 'killed while it reads: the next one keeps the limits',
    isQuick: true,
    steps: ['begin A on 11', 'hold A at 12', 'kill A', 'begin B', 'hear B: it waits for the limits', 'end B'],
  },
  {
    name: 'killed before it says that its job begins',
    steps: ['begin A on 11', 'cut A at the begin of its job', 'kill A', 'heal A', 'begin B', 'end B'],
  },
  {
    name: 'killed when it asks for its account',
    steps: ['begin A on 11', 'cut A at the lease of its account', 'kill A', 'heal A', 'begin B', 'end B'],
  },
  {
    name: 'killed in its commit',
    steps: ['begin A on 11', 'cut A at the first row of its commit', 'kill A', 'heal A', 'begin B', 'end B'],
  },
  {
    name: 'killed when it has published, and nobody knows',
    steps: ['begin A on 11', 'cut A at the end of its job', 'kill A', 'heal A', 'begin B', 'end B'],
  },
  {
    name: 'killed twice in a row, in one account',
    steps: [
      ...([
        'begin A on 11',
        'hold A at 9',
        'kill A',
        'begin B on 11',
        'hear B: it waits for the limits',
      ] as const),
      ...(['hold B at 9', 'kill B', 'begin C', 'end C'] as const),
    ],
  },
  {
    name: 'a container is begun anew: its process has the id of the one before',
    isContained: true,
    steps: ['begin A', 'hold A at 8', 'kill A', 'begin A', 'end A'],
  },
  {
    name: 'two containers, both with the process 1: one is begun anew while the other has an account',
    isContained: true,
    steps: [
      'begin A on 11',
      'hold A at 8',
      'begin B on 12',
      'hold B at 8',
      'kill A',
      'begin A',
      'free B',
      'end B',
      'end A',
    ],
  },
]

/** The net between one and PostgreSQL is cut; another takes over. */
const CUT: readonly Script[] = [
  {
    name: 'cut off while it reads: it sends nothing any more before another does',
    steps: [
      ...([
        'begin A on 11',
        'hold A at 8',
        'cut A',
        'wait lease',
        'begin B on 11',
        'hear B: it waits for the limits',
      ] as const),
      ...(['hold B at 3', 'free A', 'free B', 'end B', 'heal A', 'end A'] as const),
    ],
  },
  {
    name: 'cut off when it asks for its account, until another has had it',
    steps: [
      ...([
        'begin A on 11',
        'cut A at the lease of its account',
        'wait lease',
        'begin B on 11',
        'end B',
      ] as const),
      ...(['heal A', 'end A'] as const),
    ],
  },
  {
    name: 'cut off when it notes its epoch, until another has had it',
    steps: ['begin A on 11', 'cut A at its epoch', 'wait lease', 'begin B on 11', 'end B', 'heal A', 'end A'],
  },
  {
    name: 'cut off when it is to publish',
    steps: [
      ...([
        'begin A on 11',
        'cut A at the lease of publishing',
        'wait lease',
        'begin B on 11',
        'end B',
      ] as const),
      ...(['heal A', 'end A'] as const),
    ],
  },
  {
    name: 'cut off in its commit, until another has published',
    isQuick: true,
    steps: [
      ...([
        'begin A on 11',
        'cut A at the first row of its commit',
        'wait lease',
        'begin B on 11',
        'end B',
      ] as const),
      ...(['heal A', 'hear A: its lease is lost', 'end A'] as const),
    ],
  },
  {
    name: 'cut off in its commit, which arrives while another commits',
    steps: [
      ...(['begin A on 11', 'cut A at the first row of its commit', 'wait lease', 'begin B on 11'] as const),
      ...(['cut B at the first row of its commit', 'heal A', 'end A', 'heal B', 'end B'] as const),
    ],
  },
  {
    name: 'cut off in its commit, and another publishes another account',
    steps: [
      ...([
        'begin A on 11',
        'cut A at the first row of its commit',
        'wait lease',
        'begin B on 12',
        'end B',
      ] as const),
      ...(['heal A', 'end A'] as const),
    ],
  },
  {
    name: 'cut off when its job has ended',
    steps: [
      'begin A on 11',
      'cut A at the end of its job',
      'wait lease',
      'begin B',
      'end B',
      'heal A',
      'end A',
    ],
  },
  {
    name: 'cut off for a moment only',
    steps: ['begin A on 11', 'cut A at the lease of publishing', 'heal A', 'end A'],
  },
]

const PAUSED: readonly Script[] = [
  {
    name: 'paused while it reads, and wakes while another does',
    steps: [
      ...(['begin A on 11', 'hold A at 8', 'pause A', 'wait lease', 'begin B on 11'] as const),
      ...([
        'hear B: it waits for the limits',
        'hold B at 3',
        'free A',
        'resume A',
        'end A',
        'free B',
        'end B',
      ] as const),
    ],
  },
  {
    name: 'paused in its commit, and wakes when another has published',
    steps: [
      ...([
        'begin A on 11',
        'cut A at the first row of its commit',
        'pause A',
        'heal A',
        'wait lease',
      ] as const),
      ...(['begin B on 11', 'end B', 'resume A', 'end A'] as const),
    ],
  },
  {
    name: 'paused when it is to publish, for a night',
    steps: [
      ...([
        'begin A on 11',
        'cut A at the lease of publishing',
        'pause A',
        'heal A',
        'wait lease',
        'night',
      ] as const),
      ...(['begin B', 'end B', 'resume A', 'end A'] as const),
    ],
  },
]

const CLOCKS: readonly Script[] = [
  {
    name: 'a clock that is a day ahead',
    steps: ['clock of A +26h', 'begin A', 'end A', 'begin B', 'end B'],
  },
  {
    name: 'a clock that is behind, and dies',
    steps: [
      'clock of A -50h',
      'begin A',
      'hold A at 8',
      'kill A',
      'begin B',
      'hear B: it waits for the limits',
      'end B',
    ],
  },
  {
    name: 'clocks that differ by two days, and a cut',
    steps: [
      ...([
        'clock of A +24h',
        'clock of B -24h',
        'begin A on 11',
        'cut A at the first row of its commit',
      ] as const),
      ...(['wait lease', 'begin B', 'end B', 'heal A', 'end A'] as const),
    ],
  },
]

const REMOVED: readonly Script[] = [
  {
    name: 'removed between two nights',
    steps: ['begin A', 'end A', 'remove 12', 'night', 'begin B', 'end B'],
  },
  {
    name: 'removed while it is synced: that is refused',
    steps: ['begin A on 12', 'hold A at 8', 'remove 12', 'free A', 'end A'],
  },
  {
    name: 'removed while its machine is cut off in the commit',
    steps: [
      ...([
        'begin A on 12',
        'cut A at the first row of its commit',
        'wait lease',
        'remove 12',
        'heal A',
        'end A',
      ] as const),
    ],
  },
  {
    name: 'removed after its machine has died',
    steps: [
      'begin A on 12',
      'cut A at the end of its job',
      'kill A',
      'heal A',
      'remove 12',
      'begin B',
      'end B',
    ],
  },
]

const CONFIGURED: readonly Script[] = [
  {
    name: 'two configurations call one account by two names, at once',
    steps: ['rename 11 on B', 'begin A', 'begin B', 'end A', 'end B'],
  },
  {
    name: 'renamed for one of two machines',
    steps: ['begin A', 'end A', 'rename 11 on B', 'night', 'begin B', 'end B'],
  },
  {
    name: 'two configurations with an account each',
    steps: ['forget 12 on A', 'forget 11 on B', 'begin A', 'begin B', 'end A', 'end B'],
  },
]

const KEPT: readonly Script[] = [
  {
    name: 'a reader stays with what it opened, through a night and maintenance',
    steps: ['begin A', 'end A', 'reader opens', 'night', 'begin B', 'end B', 'maintain', 'reader looks'],
  },
  {
    name: 'readers come while one commits',
    steps: [
      ...([
        'begin A on 11',
        'end A',
        'night',
        'begin B on 11',
        'cut B at the first row of its commit',
      ] as const),
      ...(['reader opens', 'heal B', 'reader looks', 'end B', 'reader opens'] as const),
    ],
  },
  {
    name: 'maintenance while one is cut off in its commit',
    steps: [
      ...([
        'begin A on 11',
        'cut A at the first row of its commit',
        'wait lease',
        'maintain',
        'heal A',
        'end A',
      ] as const),
    ],
  },
  { name: 'maintenance beside a sync', steps: ['begin A', 'hold A at 12', 'free A', 'maintain', 'end A'] },
]

/** PostgreSQL is everybody's: these are played alone. */
export const alone: readonly Script[] = [
  {
    name: 'PostgreSQL is started anew while one reads',
    steps: ['begin A', 'hold A at 8', 'restart PostgreSQL', 'free A', 'end A'],
  },
  {
    name: 'PostgreSQL is started anew in a commit, and another takes over',
    steps: [
      ...([
        'serve A',
        'cut A at the first row of its commit',
        'restart PostgreSQL',
        'begin B',
        'heal A',
        'end B',
      ] as const),
      ...(['hear A: nothing is due'] as const),
    ],
  },
]

export const scripts: readonly Script[] = [
  ...[...MANY, ...KILLED, ...CUT, ...PAUSED],
  ...[...CLOCKS, ...REMOVED, ...CONFIGURED, ...KEPT],
]
