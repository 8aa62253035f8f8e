import type { z } from 'zod'
import type { FaultlineError } from '../errors.ts'
import type { Settings } from '../settings/settings.ts'
import type { Published } from '../warehouse/published.ts'
import { within } from '../warehouse/read/query-limits.ts'
import { openReader, type Reader } from '../warehouse/read/reader.ts'
import type { Session } from '../warehouse/read/session.ts'

/** What is asked: the warehouse of a configuration, by its settings, and its folder of reports. */
export interface ToolContext {
  readonly warehouse: Published
  readonly settings: Settings
  readonly memoryLimit: string
  readonly timezone: string | undefined
  readonly reports: string | undefined
  /** Is told what another program did to the warehouse's file, if anything. */
  readonly warn?: (notice: string | undefined) => void
}

/** One call of a tool: of what, until when, and how long it may take. */
export interface Call {
  readonly ground: ToolContext
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** The local day that periods are seen from, where it is not that of the data; see `RunOptions`. */
  readonly seenFrom?: string | undefined
}

/** What a tool answers: JSON. `rows` are cut where they are too many bytes. */
export type Answer = Readonly<Record<string, unknown>> & { readonly rows?: readonly unknown[] }

/** A tool. None of them writes, or reaches the network. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  /** Never holds a text of the warehouse. */
  readonly description: string
  readonly input: Input
  /** What it answers is a receipt that `faultline verify` can compute again. */
  readonly receipt?: true
  answer(call: Call, given: z.output<Input>): Promise<Answer>
}

/** Opens what is published now: a sync may have replaced it since the last call. */
export async function reading<Result>(
  { ground: { warehouse, settings, memoryLimit, warn }, signal }: Call,
  act: (reader: Reader) => Promise<Result>,
): Promise<Result> {
  const reader = await openReader(warehouse, { settings, memoryLimit, signal })
  warn?.(reader.notice)
  try {
    return await act(reader)
  } finally {
    reader.close()
  }
}

/** The same on a session of its own, which ends when the time of the call is over. */
export function asking<Result>(call: Call, act: (session: Session) => Promise<Result>): Promise<Result> {
  return reading(call, async (reader) => {
    const session = await reader.session()
    const stop = (reason: FaultlineError) => session.stop(reason)
    try {
      return await within({ signal: call.signal, timeout: call.timeoutMs }, stop, () => act(session))
    } finally {
      session.close()
    }
  })
}
