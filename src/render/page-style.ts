import { readFileSync } from 'node:fs'

/** Files of `style/` in cascade order. */
const sheets = ['colors', 'page', 'charts', 'tables', 'site', 'notes', 'phone', 'print']

/**
 * The minified style sheet of every page. Inline styles are not used, so that the policy can allow it by hash. The
 * build copies the files next to this module, or inlines the text into the bundled command line (`.ci/bundle.mjs`).
 */
export const pageStyle = sheets.map(sheet).join('')

/** Style sheet of incident lists. */
export const listStyle = ['colors', 'lists'].map(sheet).join('')

/** Style sheet of the explorer. */
export const exploreStyle = ['colors', 'page', 'charts', 'tables', 'site', 'notes', 'phone', 'explore']
  .map(sheet)
  .join('')

function sheet(name: string): string {
  return minified(readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8'))
}

/** Removes comments and optional characters. Handles only the CSS that `style/` uses. */
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
