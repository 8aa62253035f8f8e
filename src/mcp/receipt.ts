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

/** Whether two JSON values are equal, regardless of the order of their fields. */
export const jsonEqual = (one: unknown, other: unknown) => canonical(one) === canonical(other)

/** Returns a hash of an answer. It depends neither on the order of the fields nor on the field `hash`. */
export function hashOf({ hash: _, ...content }: Readonly<Record<string, unknown>>): string {
  return `sha256:${createHash('sha256').update(canonical(content)).digest('hex')}`
}

/** Adds a hash to an answer, so that `faultline verify` can detect later changes to the answer. */
export function withHash(answer: Answer): Answer {
  return { ...answer, hash: hashOf(answer) }
}
