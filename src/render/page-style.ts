import { readFileSync } from 'node:fs'

const sheets = ['colors', 'page', 'charts', 'tables', 'site', 'notes', 'phone', 'print']

/** Style sheet of every page. The build copies the files next to this module, or inlines them (`.ci/bundle.mjs`). */
export const pageStyle = sheets.map(sheet).join('')

export const listStyle = ['colors', 'lists', 'incidents'].map(sheet).join('')

export const exploreStyle = [
  'colors',
  'page',
  'charts',
  'tables',
  'site',
  'notes',
  'phone',
  'explore',
  'incidents',
]
  .map(sheet)
  .join('')

function sheet(name: string): string {
  return minified(readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8'))
}

/** Removes comments and optional characters. This works only for simple CSS as in `style/`. */
function minified(css: string): string {
  return css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/[^{};]+\{/g, (selectors) => selectors.replace(/ ?([>~+]) ?/g, '$1'))
    .replace(/ ?([{};,/]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replace(/(?<![\w.])0\./g, '.')
    .replaceAll(';}', '}')
    .trim()
}
