import { readFileSync } from 'node:fs'

/** The programs of `src/sdk/README.md`, in order. */
export function snippets(): string[] {
  const page = readFileSync(new URL('../../src/sdk/README.md', import.meta.url), 'utf8')
  return [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text]) => text!)
}
