import type * as Typed from '@commander-js/extra-typings'
import * as commander from 'commander'
import type { Context } from './context.ts'

/** Commander with typed options and arguments. */
export const { Argument, Command, Option } = commander as unknown as typeof Typed

/** The parts of the program that a command definition needs. */
export interface Cli {
  /** The program, or the command that contains this subcommand. */
  readonly parent: Typed.CommandUnknownOpts
  /**
   * Turns the code of a command into a commander action. `run` destructures all options and checks that none is left,
   * so that an unused option is a type error: `({ plan, ...unread }) => { unread satisfies Nothing; … }`.
   * @param stopped note to print if the user stops the command
   */
  runs<Given extends List>(run: Run<Given>, stopped?: string): Action<Given>
  /** Like `runs`, but loads the code on use. An option that the code does not declare is a type error. */
  loads<Read extends List, Given extends Read>(
    load: () => Promise<Run<Read>>,
    ...stopped: [Unread<Given, Read>] extends [never] ? [stopped?: string] : [unread: Unread<Given, Read>]
  ): Action<Given>
}

type List = readonly unknown[]
type Run<Given extends List> = (context: Context, ...given: Given) => Promise<number>
type Action<Given extends List> = (...given: [...Given, command: Typed.CommandUnknownOpts]) => Promise<void>
type OptionIn<Given> = Given extends readonly [...unknown[], infer Options] ? keyof Options : never
type Unread<Given, Read> = Exclude<OptionIn<Given>, OptionIn<Read>>

/** Options with a value (`Texts`) and without one (`Flags`), as commander passes them. */
export type Texts<Name extends string> = { readonly [Key in Name]?: string | undefined }
export type Flags<Name extends string> = { readonly [Key in Name]?: boolean | undefined }

/**
 * An object without properties. As the type of the rest of a command's options, it makes the compiler report any option
 * that the command does not destructure.
 */
export type Nothing = Readonly<Record<string, never>>

export const json = () => new Option('--json', 'print one JSON value, for programs')

/** Printed after an interrupted sync. */
export const RESUME_NOTE = ' Stored data is kept. The next sync continues from there.'
