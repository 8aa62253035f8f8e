import { readFileSync } from 'node:fs'

const sheets = ['colors', 'page', 'charts', 'tables', 'site', 'notes', 'phone']

/** Style sheet of report pages. `.ci/bundle.mjs` includes the text of the CSS files in the bundle. */
export const pageStyle = [...sheets, 'print'].map(sheet).join('')

export const listStyle = ['colors', 'lists', 'incidents'].map(sheet).join('')

export const exploreStyle = [...sheets, 'explore', 'incidents'].map(sheet).join('')

function sheet(name: string): string {
  return minified(readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8'))
}

/** Minifies CSS by removing comments and optional characters. Supports only the simple CSS of `style/`. */
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
