import { type Script, script } from './script.ts'

const MANY: readonly Script[] = [
  script('two machines start at the same time', 'begin A, begin B, end A, end B'),
  script('three machines start at the same time', 'begin A, begin B, begin C, end A, end B, end C'),
  script(
    'two scheduled machines share a night, and one of them dies',
    'serve A, serve B, hear A: nothing is due, hear B: nothing is due, kill A, night',
    'hear B: a job has ended, hear B: nothing is due',
  ),
  script('an account that was never read comes first', 'begin A on 11, end A, night'),
  script(
    'one machine is stopped while reading',
    'begin A, hold A at 8, stop A, free A, end A, begin B, end B',
  ),
]

/** One machine dies, and another takes over its work at once. */
const KILLED: readonly Script[] = [
  script('killed while reading', 'begin A on 11, hold A at 12, kill A, begin B, end B'),
  script(
    'killed before recording the start of its job',
    'begin A on 11, cut A at the begin of its job, kill A, heal A, begin B, end B',
  ),
  script(
    'killed while requesting the lease of its account',
    'begin A on 11, cut A at the lease of its account, kill A, heal A, begin B, end B',
  ),
  script(
    'killed during its commit',
    'begin A on 11, cut A at the first row of its commit, kill A, heal A, begin B, end B',
  ),
  script(
    'killed after publishing, before that is recorded',
    'begin A on 11, cut A at the end of its job, kill A, heal A, begin B, end B',
  ),
  script(
    'killed twice in a row in the same account',
    'begin A on 11, hold A at 9, kill A, begin B on 11, hold B at 9',
    'kill B, begin C, end C',
  ),
  {
    ...script(
      'a container restarts, and its process has the same id as the previous one',
      'begin A, hold A at 8, kill A, begin A, end A',
    ),
    isContained: true,
  },
  {
    ...script(
      'two containers have process id 1, and one restarts while the other leases an account',
      'begin A on 11, hold A at 8, begin B on 12, hold B at 8, kill A, begin A, free B, end B, end A',
    ),
    isContained: true,
  },
]

/** The network between one machine and PostgreSQL is cut, and another machine takes over. */
const CUT: readonly Script[] = [
  script(
    'cut off during its commit until another machine has published',
    'begin B on 12, end B, begin A on 11, cut A at the first row of its commit, wait lease',
    'begin B on 11, end B, heal A, hear A: its lease is lost, end A',
  ),
  script(
    'cut off while reading, and stops sending before another machine starts',
    'begin A on 11, hold A at 8, cut A, wait lease, begin B on 11',
    'hold B at 3, free A, free B, end B, heal A, end A',
  ),
  script(
    'cut off while requesting its account until another machine has had that account',
    'begin A on 11, cut A at the lease of its account, wait lease, begin B on 11, end B, heal A',
    'end A',
  ),
  script(
    'cut off while recording its epoch until another machine has had the account',
    'begin A on 11, cut A at its epoch, wait lease, begin B on 11, end B, heal A, end A',
  ),
  script(
    'cut off before publishing',
    'begin A on 11, cut A at the lease of publishing, wait lease, begin B on 11, end B, heal A, end A',
  ),
  script(
    'cut off during its commit, which arrives while another machine commits',
    'begin A on 11, cut A at the first row of its commit, wait lease, begin B on 11',
    'cut B at the first row of its commit, heal A, end A, heal B, end B',
  ),
  script(
    'cut off during its commit while another machine publishes another account',
    'begin A on 11, cut A at the first row of its commit, wait lease, begin B on 12, end B, heal A',
    'end A',
  ),
  script(
    'cut off after its job has ended',
    'begin A on 11, cut A at the end of its job, wait lease, begin B, end B, heal A, end A',
  ),
  script('cut off only for a moment', 'begin A on 11, cut A at the lease of publishing, heal A, end A'),
]

const PAUSED: readonly Script[] = [
  script(
    'paused while reading, and resumed while another machine is reading',
    'begin A on 11, hold A at 8, pause A, wait lease, begin B on 11',
    'hold B at 3, free A, resume A, end A, free B, end B',
  ),
  script(
    'paused during its commit, and resumed after another machine has published',
    'begin A on 11, cut A at the first row of its commit, pause A, heal A, wait lease, begin B on 11',
    'end B, resume A, end A',
  ),
  script(
    'paused before publishing, for a night',
    'begin A on 11, cut A at the lease of publishing, pause A, heal A, wait lease, night, begin B',
    'end B, resume A, end A',
  ),
]

const CLOCKS: readonly Script[] = [
  script('a clock a day ahead', 'clock of A +26h, begin A, end A, begin B, end B'),
  script(
    'a machine with a clock behind dies',
    'clock of A -50h, begin A, hold A at 8, kill A, begin B, end B',
  ),
  script(
    'clocks differ by two days, and one machine is cut off',
    'clock of A +24h, clock of B -24h, begin A on 11, cut A at the first row of its commit',
    'wait lease, begin B, end B, heal A, end A',
  ),
]

const REMOVED: readonly Script[] = [
  script(
    'an account is removed while its machine is cut off during the commit',
    'begin A on 12, cut A at the first row of its commit, wait lease, remove 12, heal A, end A',
  ),
  script('an account is removed between two nights', 'begin A, end A, remove 12, night, begin B, end B'),
  script(
    'an account cannot be removed during its sync',
    'begin A on 12, hold A at 8, remove 12, free A, end A',
  ),
  script(
    'an account is removed after its machine has died',
    'begin A on 12, cut A at the end of its job, kill A, heal A, remove 12, begin B, end B',
  ),
]

const CONFIGURED: readonly Script[] = [
  script(
    'two configurations use different names for the same account at the same time',
    'rename 11 on B, begin A, begin B, end A, end B',
  ),
  script(
    'an account is renamed on one of two machines',
    'begin A, end A, rename 11 on B, night, begin B, end B',
  ),
  script(
    'two configurations have one account each',
    'forget 12 on A, forget 11 on B, begin A, begin B, end A, end B',
  ),
]

const KEPT: readonly Script[] = [
  script(
    'readers open the lake during a commit',
    'begin A on 11, end A, night, begin B on 11, cut B at the first row of its commit, reader opens',
    'heal B, reader looks, end B, reader opens',
  ),
  script(
    'a reader keeps its snapshot through a night and maintenance',
    'begin A, end A, reader opens, night, begin B, end B, maintain, reader looks',
  ),
  script(
    'maintenance while a machine is cut off during its commit',
    'begin A on 11, cut A at the first row of its commit, wait lease, maintain, heal A, end A',
  ),
  script('maintenance during a sync', 'begin A, hold A at 12, maintain, free A, maintain, end A'),
]

/** These scripts stop the shared PostgreSQL, so no other script may run at the same time. */
export const alone: readonly Script[] = [
  script(
    'PostgreSQL restarts while a machine is reading',
    'begin A, hold A at 8, restart PostgreSQL, free A, end A',
  ),
  script(
    'PostgreSQL restarts during a commit, and another machine takes over',
    'serve A, cut A at the first row of its commit, restart PostgreSQL, begin B, heal A, end B',
    'hear A: nothing is due',
  ),
]

const KINDS = [MANY, KILLED, CUT, PAUSED, CLOCKS, REMOVED, CONFIGURED, KEPT]

export const scripts: readonly Script[] = KINDS.flat()
/** The first script of each kind, as a sample for short runs. */
export const share: readonly Script[] = KINDS.map(([first]) => first!)
