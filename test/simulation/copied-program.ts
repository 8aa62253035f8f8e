import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A text in the built program (`from`) and its replacement (`to`). */
export interface Place {
  readonly what: string
  /**
   * A file in `dist/`, or a folder with a final `/` if the bundler decides which file of the folder contains the text.
   */
  readonly file: string
  readonly from: string
  readonly to: string
}

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

/** Copies the built program to a new folder, and replaces texts in the copy. */
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

function put(folder: string, place: Place): void {
  const { path, before, after } = found(place, join(folder, 'dist'))
  writeFileSync(path, before + place.to + after)
}

/** Finds the text `from` in the built program. @throws Error unless it occurs exactly once */
export function found({ what, file, from }: Place, program = join(CHECKOUT, 'dist')) {
  const inside = join(program, dirname(`${file}.`))
  const texts = readdirSync(inside)
    .filter((name) => (file.endsWith('/') ? name.endsWith('.js') : name === basename(file)))
    .map((name) => ({ path: join(inside, name), text: readFileSync(join(inside, name), 'utf8') }))
  const places = texts.flatMap(({ path, text }) =>
    text
      .split(from)
      .slice(1)
      .map(() => ({ path, text })),
  )
  const [only] = places
  if (!only || places.length > 1) throw new Error(`${what}: ${file} has not one place ${from}`)
  const [before = '', after = ''] = only.text.split(from)
  return { path: only.path, before, after }
}
