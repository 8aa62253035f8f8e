import type { z } from 'zod'
import type { Settings } from '../settings/settings.ts'
import type { Published } from '../warehouse/published.ts'
import { within } from '../warehouse/read/query-limits.ts'
import { openReader, type Reader } from '../warehouse/read/reader.ts'
import type { Session } from '../warehouse/read/session.ts'

/** The warehouse, settings and reports folder that the tools read. */
export interface ToolContext {
  readonly warehouse: Published
  readonly settings: Settings
  readonly memoryLimit: string
  readonly timezone: string | undefined
  readonly reports: string | undefined
  /** Receives a notice if another program changed the warehouse file. */
  readonly warn?: (notice: string | undefined) => void
}

export interface Call {
  readonly ground: ToolContext
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** The local day from which a period such as `last month` counts back. Default: the day of the last sync. */
  readonly seenFrom?: string | undefined
}

/** JSON answer of a tool. If the answer is too large, the server omits some of its `rows`. */
export type Answer = Readonly<Record<string, unknown>> & { readonly rows?: readonly unknown[] }

/** A tool for assistants. It only reads. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  /** Constant text without data from the warehouse, because an assistant trusts it. */
  readonly description: string
  readonly input: Input
  /** Whether the answer is a receipt, which `faultline verify` can recompute. */
  readonly receipt?: true
  answer(call: Call, given: z.output<Input>): Promise<Answer>
}

/** Opens a new reader for each call, because a sync might have published new data. */
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

/** Runs a function in a new database session, with the time limit of the call. */
export function asking<Result>(call: Call, act: (session: Session) => Promise<Result>): Promise<Result> {
  return reading(call, async (reader) => {
    const session = await reader.session()
    try {
      return await within({ signal: call.signal, timeout: call.timeoutMs }, session.stop, () => act(session))
    } finally {
      session.close()
    }
  })
}
