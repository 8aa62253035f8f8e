import { type Script, script } from './script.ts'

const MANY: readonly Script[] = [
  script('two machines begin at once', 'begin A, begin B, end A, end B'),
  script('three machines begin at once', 'begin A, begin B, begin C, end A, end B, end C'),
  script(
    'two that go on share a night, and one of them dies',
    'serve A, serve B, hear A: nothing is due, hear B: nothing is due, kill A, night',
    'hear B: a job has ended, hear B: nothing is due',
  ),
  script('an account that nobody has read comes first', 'begin A on 11, end A, night'),
  script('one is stopped while it reads', 'begin A, hold A at 8, stop A, free A, end A, begin B, end B'),
]

/** One machine dies, and another takes over its work at once. */
const KILLED: readonly Script[] = [
  script('killed while it reads', 'begin A on 11, hold A at 12, kill A, begin B, end B'),
  script(
    'killed before it says that its job begins',
    'begin A on 11, cut A at the begin of its job, kill A, heal A, begin B, end B',
  ),
  script(
    'killed when it asks for its account',
    'begin A on 11, cut A at the lease of its account, kill A, heal A, begin B, end B',
  ),
  script(
    'killed in its commit',
    'begin A on 11, cut A at the first row of its commit, kill A, heal A, begin B, end B',
  ),
  script(
    'killed when it has published, and nobody knows',
    'begin A on 11, cut A at the end of its job, kill A, heal A, begin B, end B',
  ),
  script(
    'killed twice in a row, in one account',
    'begin A on 11, hold A at 9, kill A, begin B on 11, hold B at 9',
    'kill B, begin C, end C',
  ),
  {
    ...script(
      'a container is begun anew: its process has the id of the one before',
      'begin A, hold A at 8, kill A, begin A, end A',
    ),
    isContained: true,
  },
  {
    ...script(
      'two containers, both with the process 1: one is begun anew while the other has an account',
      'begin A on 11, hold A at 8, begin B on 12, hold B at 8, kill A, begin A, free B, end B, end A',
    ),
    isContained: true,
  },
]

/** The network between one machine and PostgreSQL is cut, and another machine takes over. */
const CUT: readonly Script[] = [
  script(
    'cut off in its commit, until another has published',
    'begin B on 12, end B, begin A on 11, cut A at the first row of its commit, wait lease',
    'begin B on 11, end B, heal A, hear A: its lease is lost, end A',
  ),
  script(
    'cut off while it reads: it sends nothing any more before another does',
    'begin A on 11, hold A at 8, cut A, wait lease, begin B on 11',
    'hold B at 3, free A, free B, end B, heal A, end A',
  ),
  script(
    'cut off when it asks for its account, until another has had it',
    'begin A on 11, cut A at the lease of its account, wait lease, begin B on 11, end B, heal A',
    'end A',
  ),
  script(
    'cut off when it notes its epoch, until another has had it',
    'begin A on 11, cut A at its epoch, wait lease, begin B on 11, end B, heal A, end A',
  ),
  script(
    'cut off when it is to publish',
    'begin A on 11, cut A at the lease of publishing, wait lease, begin B on 11, end B, heal A, end A',
  ),
  script(
    'cut off in its commit, which arrives while another commits',
    'begin A on 11, cut A at the first row of its commit, wait lease, begin B on 11',
    'cut B at the first row of its commit, heal A, end A, heal B, end B',
  ),
  script(
    'cut off in its commit, and another publishes another account',
    'begin A on 11, cut A at the first row of its commit, wait lease, begin B on 12, end B, heal A',
    'end A',
  ),
  script(
    'cut off when its job has ended',
    'begin A on 11, cut A at the end of its job, wait lease, begin B, end B, heal A, end A',
  ),
  script('cut off for a moment only', 'begin A on 11, cut A at the lease of publishing, heal A, end A'),
]

const PAUSED: readonly Script[] = [
  script(
    'paused in its commit, and wakes when another has published',
    'begin A on 11, cut A at the first row of its commit, pause A, heal A, wait lease, begin B on 11',
    'end B, resume A, end A',
  ),
  script(
    'paused while it reads, and wakes while another does',
    'begin A on 11, hold A at 8, pause A, wait lease, begin B on 11',
    'hold B at 3, free A, resume A, end A, free B, end B',
  ),
  script(
    'paused when it is to publish, for a night',
    'begin A on 11, cut A at the lease of publishing, pause A, heal A, wait lease, night, begin B',
    'end B, resume A, end A',
  ),
]

const CLOCKS: readonly Script[] = [
  script('a clock that is a day ahead', 'clock of A +26h, begin A, end A, begin B, end B'),
  script('a clock that is behind, and dies', 'clock of A -50h, begin A, hold A at 8, kill A, begin B, end B'),
  script(
    'clocks that differ by two days, and a cut',
    'clock of A +24h, clock of B -24h, begin A on 11, cut A at the first row of its commit',
    'wait lease, begin B, end B, heal A, end A',
  ),
]

const REMOVED: readonly Script[] = [
  script(
    'removed while its machine is cut off in the commit',
    'begin A on 12, cut A at the first row of its commit, wait lease, remove 12, heal A, end A',
  ),
  script('removed between two nights', 'begin A, end A, remove 12, night, begin B, end B'),
  script(
    'removed while it is synced: that is refused',
    'begin A on 12, hold A at 8, remove 12, free A, end A',
  ),
  script(
    'removed after its machine has died',
    'begin A on 12, cut A at the end of its job, kill A, heal A, remove 12, begin B, end B',
  ),
]

const CONFIGURED: readonly Script[] = [
  script(
    'two configurations call one account by two names, at once',
    'rename 11 on B, begin A, begin B, end A, end B',
  ),
  script('renamed for one of two machines', 'begin A, end A, rename 11 on B, night, begin B, end B'),
  script(
    'two configurations with an account each',
    'forget 12 on A, forget 11 on B, begin A, begin B, end A, end B',
  ),
]

const KEPT: readonly Script[] = [
  script(
    'readers come while one commits',
    'begin A on 11, end A, night, begin B on 11, cut B at the first row of its commit, reader opens',
    'heal B, reader looks, end B, reader opens',
  ),
  script(
    'a reader stays with what it opened, through a night and maintenance',
    'begin A, end A, reader opens, night, begin B, end B, maintain, reader looks',
  ),
  script(
    'maintenance while one is cut off in its commit',
    'begin A on 11, cut A at the first row of its commit, wait lease, maintain, heal A, end A',
  ),
  script('maintenance beside a sync', 'begin A, hold A at 12, maintain, free A, maintain, end A'),
]

/** These scripts stop the shared PostgreSQL, so they are played alone. */
export const alone: readonly Script[] = [
  script(
    'PostgreSQL is started anew while one reads',
    'begin A, hold A at 8, restart PostgreSQL, free A, end A',
  ),
  script(
    'PostgreSQL is started anew in a commit, and another takes over',
    'serve A, cut A at the first row of its commit, restart PostgreSQL, begin B, heal A, end B',
    'hear A: nothing is due',
  ),
]

const KINDS = [MANY, KILLED, CUT, PAUSED, CLOCKS, REMOVED, CONFIGURED, KEPT]

export const scripts: readonly Script[] = KINDS.flat()
/** The first script of each kind, which covers most of it. */
export const share: readonly Script[] = KINDS.map(([first]) => first!)
