import { blocks } from '../support/markdown.ts'

/** The programs of `src/sdk/README.md`, in order. */
export const snippets = () => blocks('src/sdk/README.md', 'ts')
