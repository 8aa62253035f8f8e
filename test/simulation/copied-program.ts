import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A place of the built program, and what is put there. */
export interface Place {
  readonly what: string
  /** Its path in `dist/`, or how that begins: parts of the command line have a hash in their names. */
  readonly file: string
  readonly from: string
  readonly to: string
}

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Copies the built program, and puts something else into some places of the copy.
 * @returns its folder, and what removes it
 */
export function copyProgram(places: readonly Place[]): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-program-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    for (const name of ['dist', 'sql', 'reports'])
      cpSync(join(CHECKOUT, name), join(folder, name), { recursive: true })
    for (const name of ['node_modules', 'package.json']) symlinkSync(join(CHECKOUT, name), join(folder, name))
    for (const place of places) put(folder, place)
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}

function put(folder: string, { what, file, from, to }: Place): void {
  const inside = join(folder, 'dist', dirname(file))
  const name = readdirSync(inside).find((one) => one.startsWith(basename(file)) && !one.endsWith('.map'))!
  const path = join(inside, name)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${what}: ${file} has not one place ${from}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
}
