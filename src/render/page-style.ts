import { readFileSync } from 'node:fs'

/** The files of `style/`, in the order of their rules: of two that say different things the later one holds. */
const sheets = ['colors', 'page', 'charts', 'tables', 'site', 'notes', 'phone', 'print']

/**
 * The style sheet of every page, minified. There are no inline styles, so that the policy can name its one hash. The build copies the
 * files beside this module, and puts the text itself into the joined command line (`.ci/bundle.mjs`).
 */
export const pageStyle = sheets.map(sheet).join('')

/** The same of pages of incidents. */
export const listStyle = ['colors', 'lists'].map(sheet).join('')

/** The same of the explorer. */
export const exploreStyle = ['colors', 'page', 'charts', 'tables', 'site', 'notes', 'phone', 'explore']
  .map(sheet)
  .join('')

function sheet(name: string): string {
  return minified(readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8'))
}

/** Without comments, and without the spaces, semicolons and zeros that only people need. It knows the CSS of `style/`, not all. */
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
