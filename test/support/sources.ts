import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const src = join(root, 'src/')

export interface SourceFile {
  /** Path below `src/`, such as `sync/plan.ts`. */
  readonly path: string
  /** First folder of the path, or the name of a file in `src/` itself. */
  readonly room: string
  readonly text: string
  /** Import specifiers as written, such as `../errors.ts`. */
  readonly imports: readonly string[]
}

export function sourceFiles(): SourceFile[] {
  return filesBelow('src', /\.ts$/).map(({ path, text }) => {
    const below = relative('src', path)
    return { path: below, room: roomOf(below), text, imports: importsOf(text) }
  })
}

/** Reads the files below `folder`. The returned paths start at the root, such as `src/sync/plan.ts`. */
export function filesBelow(folder: string, name: RegExp): { path: string; text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path) && !/(^|\/)\./.test(path))
    .sort()
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(root, folder, path), 'utf8') }))
}

/** The sentences of `page` are a room of their own. */
export function roomOf(path: string): string {
  if (path.startsWith('page/sentences/')) return 'page/sentences'
  return path.split('/')[0]!.replace(/\.ts$/, '')
}

/** Returns static, re-exporting, bare and dynamic imports, including imports of types. */
export function importsOf(text: string): string[] {
  const statements = text.matchAll(/^\s*(?:import|export)\b[^'"=;(]*?\bfrom\s*(['"])(.+?)\1/gm)
  const bare = text.matchAll(/^\s*import\s*(['"])(.+?)\1/gm)
  const dynamic = text.matchAll(/\bimport\(\s*(['"])(.+?)\1/g)
  return [...statements, ...bare, ...dynamic].map((match) => match[2]!)
}

/** Returns the static imports that load a module, so without imports of types. */
export function staticImportsOf(text: string): string[] {
  const loading = text.replace(/^\s*(?:import|export)\s+type\b[^'"]*(['"]).+?\1/gm, '')
  return importsOf(loading.replace(/\bimport\(/g, 'load('))
}

/** Returns the file that a relative import names, such as `errors.ts`. Files outside of `src/` start with `../`. */
export function targetOf(file: SourceFile, specifier: string): string {
  return relative(src, join(src, dirname(file.path), specifier))
}

/** Returns each cycle of imports as the files along it. */
export function cycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const found: string[] = []
  const settled = new Set<string>()
  const walk = (path: string, trail: readonly string[]) => {
    const again = trail.indexOf(path)
    if (again !== -1) found.push([...trail.slice(again), path].join(' → '))
    const file = byPath.get(path)
    if (again !== -1 || settled.has(path) || !file) return
    for (const specifier of file.imports) {
      if (specifier.startsWith('.')) walk(targetOf(file, specifier), [...trail, path])
    }
    settled.add(path)
  }
  for (const file of files) walk(file.path, [])
  return found
}

export function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length
}
