import { resolve } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { publishedAt } from '../warehouse/file-or-lake.ts'
import type { Context } from './context.ts'

/** `faultline restore`: puts a backup, or the former copy, in place of the published one. */
export async function restoreCommand(
  { console, overrides }: Context,
  file: string | undefined,
  flags: { json?: boolean },
): Promise<number> {
  const { warehouse } = loadConfig(overrides)
  const backup = file === undefined ? undefined : resolve(file)
  const { from, asOf } = await publishedAt(warehouse).putBack(backup)
  const asOfText = asOf === null ? 'never read completely' : `as of ${asOf.toISOString()}`
  console.out(
    flags.json
      ? JSON.stringify({ warehouse, from, asOf })
      : `${warehouse} is ${from} again, ${asOfText}. \`faultline sync\` reads the rest.`,
  )
  return 0
}
