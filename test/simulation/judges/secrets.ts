import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Judge, Seen } from '../judge.ts'

/** The key, and whatever a rule of privacy took out, is in no file and no row. */
export function secrets(): Judge {
  return {
    name: 'secrets',
    promise: 'nothing secret or removed is in any file',
    async look(seen) {
      return [...inFiles(seen), ...(await inRows(seen))]
    },
  }
}

function inFiles({ folder, secrets }: Seen): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return files
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .flatMap((file) => {
      const bytes = readFileSync(file)
      return secrets.filter((secret) => bytes.includes(secret)).map((secret) => `${file} holds ${secret}`)
    })
}

/** DuckDB packs texts, so that a search in its file may miss them. */
async function inRows({ rows, secrets }: Seen): Promise<string[]> {
  const [row] = await rows('select string_agg(email, chr(10)) as emails from members')
  const text = String(row?.emails ?? '')
  return secrets.filter((secret) => text.includes(secret)).map((secret) => `members hold ${secret}`)
}
