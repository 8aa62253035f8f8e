import { statSync } from 'node:fs'
import type { z } from 'zod'
import { runAfter } from '../effects.ts'
import type { Sessions } from '../report/scope/report-filters.ts'
import type { Settings } from '../settings/settings.ts'
import type { Published } from '../warehouse/published.ts'
import { pooled } from '../warehouse/read/pool.ts'
import { within } from '../warehouse/read/query-limits.ts'
import { openReader } from '../warehouse/read/reader.ts'
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
  readonly readers: Pick<ReturnType<typeof keptReader>, 'use'>
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

/** Time without calls after which the warehouse is closed, to free its memory. */
const IDLE_MS = 60_000

/**
 * Keeps the warehouse open between calls, because opening it takes as long as computing a figure. Opens it again after
 * a sync has published new data, and after a failed or canceled call. Only one call may run at a time.
 */
export function keptReader({ warehouse, settings, memoryLimit, warn }: ToolContext) {
  let kept: Awaited<ReturnType<typeof open>> | undefined
  let idle: NodeJS.Timeout | undefined
  const open = async (state: string) => {
    const ending = new AbortController()
    const reader = await openReader(warehouse, { settings, memoryLimit, signal: ending.signal })
    warn?.(reader.notice)
    return { ending, reader, sessions: pooled(reader), state }
  }
  const close = () => {
    clearTimeout(idle)
    kept?.reader.close()
    kept = undefined
  }
  return {
    close,
    async use<Result>(signal: AbortSignal, act: (sessions: Sessions) => Promise<Result>): Promise<Result> {
      clearTimeout(idle)
      const runs = statSync(warehouse.files.reportRuns, { throwIfNoEntry: false })
      const state = [await warehouse.state(), runs?.mtimeMs].join(' ')
      if (kept?.state !== state) close()
      kept ??= await open(state)
      const { ending, sessions } = kept
      const cancel = () => ending.abort(signal.reason)
      signal.addEventListener('abort', cancel, { once: true })
      try {
        signal.throwIfAborted()
        const result = await act(sessions)
        idle = runAfter(IDLE_MS, close).unref()
        return result
      } catch (error) {
        close()
        throw error
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
  }
}

/** Runs a function in a new database session, with the time limit of the call. */
export function asking<Result>(call: Call, act: (session: Session) => Promise<Result>): Promise<Result> {
  return call.readers.use(call.signal, async (sessions) => {
    const session = await sessions.session()
    try {
      return await within({ signal: call.signal, timeout: call.timeoutMs }, session.stop, () => act(session))
    } finally {
      session.close()
    }
  })
}
