import { createHash } from 'node:crypto'
import type { Answer } from './tool.ts'

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`
}

export const jsonEqual = (one: unknown, other: unknown) => canonical(one) === canonical(other)

/** Hashes an answer without its `hash` field. */
export function hashOf({ hash: _, ...content }: Readonly<Record<string, unknown>>): string {
  return `sha256:${createHash('sha256').update(canonical(content)).digest('hex')}`
}

/** Adds a hash of the content. It reveals if a figure is changed later. */
export function withHash(answer: Answer): Answer {
  return { ...answer, hash: hashOf(answer) }
}
