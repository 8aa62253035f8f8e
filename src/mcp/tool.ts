import type { z } from 'zod'
import type { FaultlineError } from '../errors.ts'
import type { Settings } from '../settings/settings.ts'
import type { Published } from '../warehouse/published.ts'
import { within } from '../warehouse/read/query-limits.ts'
import { openReader, type Reader } from '../warehouse/read/reader.ts'
import type { Session } from '../warehouse/read/session.ts'

/** The warehouse, settings and reports folder that tools read. */
export interface ToolContext {
  readonly warehouse: Published
  readonly settings: Settings
  readonly memoryLimit: string
  readonly timezone: string | undefined
  readonly reports: string | undefined
  /** Receives a notice if another program changed the warehouse file. */
  readonly warn?: (notice: string | undefined) => void
}

/** Context and limits of one tool call. */
export interface Call {
  readonly ground: ToolContext
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** The local day from which periods are resolved (default: the day of the data), see `RunOptions`. */
  readonly seenFrom?: string | undefined
}

/** JSON answer of a tool. `rows` are truncated if they are too large. */
export type Answer = Readonly<Record<string, unknown>> & { readonly rows?: readonly unknown[] }

/** A read-only tool without network access. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  /** A constant text without data of the warehouse. */
  readonly description: string
  readonly input: Input
  /** The answer is a receipt that `faultline verify` can recompute. */
  readonly receipt?: true
  answer(call: Call, given: z.output<Input>): Promise<Answer>
}

/** Opens the published data, which a sync might have replaced since the last call. */
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

/** Runs a function in a new session and enforces the time limit of the call. */
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
