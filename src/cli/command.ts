import type * as Typed from '@commander-js/extra-typings'
import * as commander from 'commander'
import type { Context } from './context.ts'

/** Commander with typed options and arguments for each command. */
export const { Argument, Command, Option } = commander as unknown as typeof Typed

/** The parts of the program that a command definition needs. */
export interface Cli {
  /** The program, or the command that contains this subcommand. */
  readonly parent: Typed.CommandUnknownOpts
  /**
   * Wraps the body of a command as a commander action. `run` gets the context, the arguments and the options. Every option
   * must be destructured, so that an unused option is a type error: `({ plan, json, ...unread }) => { unread satisfies
   * Nothing`.
   * @param stopped note on what remains after an interruption
   */
  runs<Given extends readonly unknown[]>(
    run: (context: Context, ...given: Given) => Promise<number>,
    stopped?: string,
  ): (...given: [...Given, command: Typed.CommandUnknownOpts]) => Promise<void>
}

/** Type of the options that remain after destructuring. None can remain, because every option must be used. */
export type Nothing = Readonly<Record<string, never>>

export const json = () => new Option('--json', 'print one JSON value, for programs')

/** Note after an interrupted sync. */
export const RESUME_NOTE = ' Stored data is kept. The next sync continues from there.'
