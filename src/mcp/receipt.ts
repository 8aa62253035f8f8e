import { createHash } from 'node:crypto'
import type { Answer } from './tool.ts'

/** A text of a value that does not depend on the order of its keys, nor on spaces. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`
}

/** Whether two values are the same, as JSON. */
export const jsonEqual = (one: unknown, other: unknown) => canonical(one) === canonical(other)

/** The key of an answer's content, in which its hash itself does not count. */
export function hashOf({ hash: _, ...content }: Readonly<Record<string, unknown>>): string {
  return `sha256:${createHash('sha256').update(canonical(content)).digest('hex')}`
}

/** An answer with the key of its content: whoever changes one of its figures has to change that, too. */
export function withHash(answer: Answer): Answer {
  return { ...answer, hash: hashOf(answer) }
}
