/** A machine that syncs. Z is whole, and comes when a script is over. */
export type Machine = 'A' | 'B' | 'C' | 'Z'
/** The number of an account; each is called by it, and has a service and a key of its own. */
export type Account = 11 | 12 | 13

/** Bytes on the way to PostgreSQL, by what they are for. */
export const MOMENTS = {
  'the lease of its job': /faultline_locks where name = '+job sync:/,
  'the begin of its job': /insert into faultline_jobs/,
  'the lease of its account': /faultline_locks where name = '+account/,
  'its epoch': /insert into faultline_leases/,
  'the lease of publishing': /faultline_locks where name = '+publishing/,
  'the first row of its commit': /insert into [^;]{0,40}ducklake_snapshot/i,
  'the end of its job': /update faultline_jobs set finished_at/,
} as const satisfies Readonly<Record<string, RegExp>>

/** What a process says when something has come to it. */
export const WORDS = {
  'its lease is lost': /lease of [^"]+ was lost|was leased to another process meanwhile/,
  'another has it': /is leased by|Another sync is writing/,
  'the lake is away': /is not available/,
  'what is stored is doubled': /there more than once/,
  'a job has ended': /"message":"job ended"/,
  'nothing is due': /nothing is due until|other processes run the due jobs/,
} as const satisfies Readonly<Record<string, RegExp>>

/** One thing that happens. A step is over when it has happened: what is to happen before the next one is waited for. */
export type Step =
  /** `faultline lake work --once`, of all accounts that the machine knows or of one; it goes on beside the next steps. */
  | `begin ${Machine}`
  | `begin ${Machine} on ${Account}`
  /** `faultline lake work`, which goes on until it is stopped. */
  | `serve ${Machine}`
  /** It has ended by itself. */
  | `end ${Machine}`
  /** Its request of that number has come to the service, which holds it and all that come after it; until it is let go. */
  | `hold ${Machine} at ${number}`
  | `free ${Machine}`
  /** The network between it and PostgreSQL: nothing arrives any more, and no connection is closed. */
  | `cut ${Machine}`
  | `cut ${Machine} at ${keyof typeof MOMENTS}`
  | `heal ${Machine}`
  /** Every lease was given back, or taken away by PostgreSQL. */
  | 'wait lease'
  /** SIGSTOP, SIGCONT, SIGKILL, SIGTERM. */
  | `pause ${Machine}`
  | `resume ${Machine}`
  | `kill ${Machine}`
  | `stop ${Machine}`
  | `clock of ${Machine} ${'+' | '-'}${number}h`
  | 'restart PostgreSQL'
  /** A day goes by, for PostgreSQL and the services; minutes, for PostgreSQL. */
  | 'night'
  | `minutes ${number}`
  /** `faultline account remove`, and out of all configurations. */
  | `remove ${Account}`
  | `rename ${Account} on ${Machine}`
  | `forget ${Account} on ${Machine}`
  | 'maintain'
  | 'repair'
  | 'reader opens'
  | 'reader looks'
  /** It says so, after what was heard of it before: or what the script is about did not happen. */
  | `hear ${Machine}: ${keyof typeof WORDS}`

/** What many machines do at once, and what happens to them. */
export interface Script {
  readonly name: string
  readonly steps: readonly Step[]
  /** Machines whose processes have the id 1, as in a container. */
  readonly isContained?: boolean
}

/** Steps with commas between them: what is none of them does not compile. */
type Steps<Text> = Text extends `${infer First}, ${infer Rest}`
  ? First extends Step
    ? `${First}, ${Steps<Rest>}`
    : Step
  : Text extends Step
    ? Text
    : Step

/** @param lines steps with commas between them, in as many lines as are well read */
export function script<const Lines extends readonly string[]>(
  name: string,
  ...lines: Lines & { readonly [Line in keyof Lines]: Steps<Lines[Line]> }
): Script {
  return { name, steps: lines.flatMap((line: string) => line.split(', ') as Step[]) }
}
