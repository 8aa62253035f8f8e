import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { objects, withConnection } from '../../support/truth.ts'
import type { Judge, Seen } from '../judge.ts'

export function secrets(): Judge {
  return {
    name: 'secrets',
    promise: 'nothing secret or removed is in any file',
    async look(seen) {
      const isPrivate = seen.secrets.length > 1
      return [...inFiles(seen), ...(isPrivate ? await inRows(seen) : [])]
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

/**
 * Searches for secrets in the rows of each file, because DuckDB compresses texts and a search in the bytes misses some.
 * Skips copies that a kill left unfinished.
 */
async function inRows({ folder, secrets, last }: Seen): Promise<string[]> {
  const isWhole = (name: string) =>
    last.status !== 'killed' || !/(next\.duckdb|\.(changed|fresh|restored))$/.test(name)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.duckdb(\.(changed|fresh|restored))?(\.aside)?$/.test(name) && isWhole(name),
  )
  const found = files.map(async (name) => {
    const [row] = await withConnection(join(folder, name), (connection) =>
      objects(connection, 'select string_agg(email, chr(10)) as emails from members'),
    )
    return secrets
      .filter((secret) => String(row?.emails).includes(secret))
      .map((secret) => `members of ${name} hold ${secret}`)
  })
  return (await Promise.all(found)).flat()
}
