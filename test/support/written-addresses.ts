import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Content of every file that a server of reports must never send. */
export const MARK = 'SECRET-ROWS'

/** Paths of files that belong to no report, in the folder of reports or reachable from it. */
export const SECRETS = [
  'w.duckdb',
  'w.duckdb.wal',
  'w.duckdb.sync/2451.duckdb',
  'w.duckdb.report-runs.ndjson',
  'w.duckdb.deliveries.ndjson',
  '.env',
  '.env.html',
  '.served-files',
  '.hidden/a.html',
  'config.json',
  'app-key',
  'notes.html',
  'notes.csv',
  'export/members.csv',
  'export/manifest.json',
  'weekly/.hidden.csv',
  'weekly/stray.csv',
  'dir.html/inside.html',
  '../above.html',
  '../secret.csv',
]
/** Symbolic links that lead to files that belong to no report. */
export const LINKS = [
  'link.html',
  'far.csv',
  'weekly/link.csv',
  'up/above.html',
  'loop.html',
  'linked/inside.html',
]

export function writeSecrets(out: string): void {
  for (const path of SECRETS) {
    const file = join(out, path)
    mkdirSync(dirname(file), { recursive: true })
    if (path !== '.served-files') writeFileSync(file, MARK)
  }
  for (const [name, target] of [
    ['link.html', '../above.html'],
    ['far.csv', join(out, '../secret.csv')],
    ['weekly/link.csv', '../../secret.csv'],
    ['up', '..'],
    ['loop.html', 'loop.html'],
    ['linked', 'dir.html'],
  ] as const)
    symlinkSync(target, join(out, name))
}

const hex = (text: string) =>
  text.replace(/./gs, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
const dots = (path: string, dot: string) => path.replaceAll('.', dot)
const slashes = (path: string, slash: string) => path.replaceAll('/', slash)

/** Ways in which an attacker may write the address of a file in the folder `out`. */
export const WRITTEN: readonly (readonly [name: string, write: (path: string, out: string) => string])[] = [
  ['plainly', (path) => `/${path}`],
  ['with a slash behind it', (path) => `/${path}/`],
  ['with two slashes behind it', (path) => `/${path}//`],
  ['with two slashes before it', (path) => `//${path}`],
  ['with three slashes before it', (path) => `///${path}`],
  ['behind a host', (path) => `//localhost/${path}`],
  ['behind a host and two slashes', (path) => `//localhost//${path}`],
  ['as a whole address', (path) => `http://localhost/${path}`],
  ['as a whole address of nobody', (path) => `http:///${path}`],
  ['as a whole address with a name', (path) => `http://a:b@localhost/${path}`],
  ['as an address of a file', (path) => `file:///${path}`],
  ['without a slash', (path) => path],
  ['behind a dot', (path) => `/./${path}`],
  ['behind an encoded dot', (path) => `/%2e/${path}`],
  ['behind a folder and back', (path) => `/weekly/../${path}`],
  ['behind a page and back', (path) => `/weekly.html/../${path}`],
  ['behind a page', (path) => `/weekly.html/${path}`],
  ['behind an encoded folder and back', (path) => `/weekly/%2e%2e/${path}`],
  ['behind half an encoded way back', (path) => `/weekly/.%2E/${path}`],
  ['behind an encoded slash', (path) => `/weekly%2f..%2f${path}`],
  ['behind a backslash', (path) => `/\\${path}`],
  ['behind an encoded backslash', (path) => `/%5c${path}`],
  ['behind a folder, a backslash and back', (path) => `/weekly\\..\\${path}`],
  ['with encoded slashes', (path) => `/${slashes(path, '%2f')}`],
  ['with backslashes', (path) => `/${slashes(path, '\\')}`],
  ['with encoded dots', (path) => `/${dots(path, '%2e')}`],
  ['with every character encoded', (path) => `/${hex(path)}`],
  ['with every character in capitals encoded', (path) => `/${hex(path).toUpperCase()}`],
  ['encoded twice', (path) => `/${hex(hex(path))}`],
  ['with overlong dots', (path) => `/${dots(path, '%c0%ae')}`],
  ['with overlong slashes', (path) => `/x/..${slashes(`/${path}`, '%c0%af')}`],
  ['with wide dots', (path) => `/${dots(path, '%ef%bc%8e')}`],
  ['with an ending that is served', (path) => `/${path}.html`],
  ['with a NUL and an ending that is served', (path) => `/${path}%00.html`],
  ['with a NUL behind it', (path) => `/${path}%00`],
  ['with a line end behind it', (path) => `/${path}%0a`],
  ['with a space behind it', (path) => `/${path}%20`],
  ['with a dot behind it', (path) => `/${path}.`],
  ['with a stream of Windows', (path) => `/${path}::$DATA`],
  ['with a semicolon', (path) => `/${path};.html`],
  ['with an encoded question mark', (path) => `/${path}%3f.html`],
  ['with a query', (path) => `/${path}?.html`],
  ['with a query of a path', (path) => `/?/${path}`],
  ['with a fragment', (path) => `/${path}#.html`],
  ['with an encoded fragment', (path) => `/${path}%23.html`],
  ['with an index behind it', (path) => `/${path}/index.html`],
  ['with a way into it and back', (path) => `/${path}/x/..`],
  ['without its ending', (path) => `/${path.replace(/\.\w+$/, '')}`],
  ['without its ending, with a slash', (path) => `/${path.replace(/\.\w+$/, '')}/`],
  ['in capitals', (path) => `/${path.toUpperCase()}`],
  ['behind the explorer', (path) => `/explore/../${path}`],
  ['behind the explorer, encoded', (path) => `/explore/..%2f${path}`],
  ['behind an encoded explorer', (path) => `/%65xplore/%2e%2e/${path}`],
  ['in the explorer', (path) => `/explore/${path}`],
  ['behind what follows changes', (path) => `/_live/../${path}`],
  ['from the root of the machine', (path, out) => join(out, path)],
  ['from the root, behind a slash', (path, out) => `/${join(out, path)}`],
  ['far above the folder', (path, out) => `/${'../'.repeat(12)}${join(out, path)}`],
  ['far above the folder, encoded', (path, out) => `/${'%2e%2e%2f'.repeat(12)}${hex(join(out, path))}`],
  ['above the folder and into it', (path) => `/../out/${path}`],
  ['above the folder and into it, encoded', (path) => `/%2e%2e/out/${path}`],
  ['with a tab', (path) => `/\t${path}`],
  ['with a broken escape', (path) => `/${path}%`],
  ['with half an escape', (path) => `/%2${path}`],
]
