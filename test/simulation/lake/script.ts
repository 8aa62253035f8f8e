/** A machine that syncs. Nothing disturbs Z, which starts only when a script is over. */
export type Machine = 'A' | 'B' | 'C' | 'Z'
/** The id of an account. Each account has its own service and key. */
export type Account = 11 | 12 | 13

/** Patterns that recognize what a sync sends to PostgreSQL at each moment. */
export const MOMENTS = {
  'the lease of its job': /faultline_locks where name = '+job sync:/,
  'the begin of its job': /insert into faultline_jobs/,
  'the lease of its account': /faultline_locks where name = '+account/,
  'its epoch': /insert into faultline_leases/,
  'the lease of publishing': /faultline_locks where name = '+publishing/,
  'the first row of its commit': /insert into [^;]{0,40}ducklake_snapshot/i,
  'the end of its job': /update faultline_jobs set finished_at/,
} as const satisfies Readonly<Record<string, RegExp>>

/** Patterns of messages that a step can wait for in the output of a process. */
export const WORDS = {
  'its lease is lost': /lease of [^"]+ was lost|was leased to another process in the meantime/,
  'another has it': /is leased by|Another sync is writing/,
  'the lake is away': /is not available/,
  'what is stored is doubled': /stored more than once/,
  'a job has ended': /"message":"job ended"/,
  'nothing is due': /nothing is due until|other processes run the due jobs/,
} as const satisfies Readonly<Record<string, RegExp>>

/** One step of a script. The next step starts when this step's event has occurred. */
export type Step =
  /**
   * Runs `faultline lake work --once` for all accounts of a machine, or for one account. The process continues during
   * the next steps.
   */
  | `begin ${Machine}`
  | `begin ${Machine} on ${Account}`
  /** Starts `faultline lake work`, which runs until it is stopped. */
  | `serve ${Machine}`
  /** Waits for the normal end of the process. */
  | `end ${Machine}`
  /** Waits for the request with this number. The service delays its response, and all later ones, until `free`. */
  | `hold ${Machine} at ${number}`
  | `free ${Machine}`
  /** Cuts the network between the machine and PostgreSQL. Nothing arrives any more, and no connection is closed. */
  | `cut ${Machine}`
  | `cut ${Machine} at ${keyof typeof MOMENTS}`
  | `heal ${Machine}`
  /** Waits until each lease has been released, or removed by PostgreSQL. */
  | 'wait lease'
  /** These steps send SIGSTOP, SIGCONT, SIGKILL and SIGTERM. */
  | `pause ${Machine}`
  | `resume ${Machine}`
  | `kill ${Machine}`
  | `stop ${Machine}`
  | `clock of ${Machine} ${'+' | '-'}${number}h`
  | 'restart PostgreSQL'
  /** `night` moves the clocks of PostgreSQL and the services forward a day. `minutes` moves only PostgreSQL's clock. */
  | 'night'
  | `minutes ${number}`
  /** Runs `faultline account remove`, and removes the account from all configurations. */
  | `remove ${Account}`
  | `rename ${Account} on ${Machine}`
  | `forget ${Account} on ${Machine}`
  | 'maintain'
  | 'repair'
  | 'reader opens'
  | 'reader looks'
  /** Waits for the next message that matches this pattern of `WORDS`. Fails if the process ends first. */
  | `hear ${Machine}: ${keyof typeof WORDS}`

/** A sequence of actions and disturbances of several machines that run in parallel. */
export interface Script {
  readonly name: string
  readonly steps: readonly Step[]
  /** Machines whose processes have the id 1, as in a container. */
  readonly isContained?: boolean
}

/** Checks at compile time that a text consists of known steps, separated by commas. */
type Steps<Text> = Text extends `${infer First}, ${infer Rest}`
  ? First extends Step
    ? `${First}, ${Steps<Rest>}`
    : Step
  : Text extends Step
    ? Text
    : Step

/** @param lines steps separated by commas, distributed over any number of texts */
export function script<const Lines extends readonly string[]>(
  name: string,
  ...lines: Lines & { readonly [Line in keyof Lines]: Steps<Lines[Line]> }
): Script {
  return { name, steps: lines.flatMap((line: string) => line.split(', ') as Step[]) }
}
