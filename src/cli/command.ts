import type * as Typed from '@commander-js/extra-typings'
import * as commander from 'commander'
import type { Context } from './context.ts'

/** Commander, with types that know the options and arguments of each command. */
export const { Argument, Command, Option } = commander as unknown as typeof Typed

/** The program, as a command joins it. */
export interface Cli {
  /** What it is a subcommand of: the program itself, or another command. */
  readonly parent: Typed.CommandUnknownOpts
  /**
   * What a command does, as an action of commander: `run` is given its context, then its arguments and its options. It takes
   * every option apart, so that one that nobody reads does not compile: `({ plan, json, ...unread }) => { unread satisfies Nothing`.
   * @param stopped what is left when it is stopped, for people
   */
  runs<Given extends readonly unknown[]>(
    run: (context: Context, ...given: Given) => Promise<number>,
    stopped?: string,
  ): (...given: [...Given, command: Typed.CommandUnknownOpts]) => Promise<void>
}

/** Options that are left when all that are read were taken out: none. */
export type Nothing = Readonly<Record<string, never>>

/** The option of commands that programs read. */
export const json = () => new Option('--json', 'print one JSON value, for programs')

/** What is left of a command that was stopped while it wrote. */
export const RESUME_NOTE = ' Stored data is kept; the next sync resumes there.'
