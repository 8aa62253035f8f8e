import { warnOnce } from '../../src/cli/console.ts'
import type { Context } from '../../src/cli/context.ts'
import type { Overrides } from '../../src/config/config.ts'

/** A context that collects results and notes as lists of lines. */
export function listening(overrides: Overrides): Context & {
  readonly results: string[]
  readonly notes: string[]
  readonly secrets: string[]
} {
  const results: string[] = []
  const notes: string[] = []
  const secrets: string[] = []
  return {
    results,
    notes,
    secrets,
    overrides,
    verbose: false,
    signal: new AbortController().signal,
    keepSecret: (secret) => secrets.push(secret),
    console: {
      out: (text) => results.push(text),
      write: async (text) => void results.push(text),
      note: (text) => notes.push(text),
      warn: warnOnce((text) => notes.push(text)),
      error: (text) => notes.push(`error: ${text}`),
      event: (level, message, facts) => notes.push(JSON.stringify({ level, message, ...facts })),
      progress() {},
      clearProgress() {},
      isTerminal: false,
      color: false,
      width: 100,
    },
  }
}
