import type { Context } from '../context.ts'

/** A context that keeps each secret once: every run gives its key again. */
export function keepingSecrets(base: Context): { context: Context; secrets: readonly string[] } {
  const secrets: string[] = []
  const context: Context = {
    ...base,
    keepSecret(secret) {
      if (secrets.includes(secret)) return
      secrets.push(secret)
      base.keepSecret(secret)
    },
  }
  return { context, secrets }
}
