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
   * Makes a commander action of a command's code. `run` gets the context, the arguments and the options. It must
   * destructure every option, so that an unused option is a type error: `({ plan, json, ...unread }) => { unread satisfies
   * Nothing`.
   * @param stopped note for the user after an interruption
   */
  runs<Given extends List>(run: Run<Given>, stopped?: string): Action<Given>
  /** Like `runs`, for code in another file. An option that is missing in the type of its parameter is a type error. */
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

/** Options with a value, and options without one, as commander passes them. */
export type Texts<Name extends string> = { readonly [Key in Name]?: string | undefined }
export type Flags<Name extends string> = { readonly [Key in Name]?: boolean | undefined }

/** Type of the options that remain after destructuring. None can remain, because every option must be used. */
export type Nothing = Readonly<Record<string, never>>

export const json = () => new Option('--json', 'print one JSON value, for programs')

/** Note after an interrupted sync. */
export const RESUME_NOTE = ' Stored data is kept. The next sync continues from there.'
