import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Earlier builds listed the folder of each name in `.teams.json`, or `.service.json` for a dimension. */
const BOOK = /^\.([\w-]+)\.json$/
const SAFE = /^[\p{L}\p{M}\p{N}_-]+$/u

/** Removes folders of an earlier build, unless a page still links to them. @returns the removed folders */
export function removeFormerFolders(out: string): string[] {
  if (!existsSync(out)) return []
  return readdirSync(out).flatMap((file) => {
    const [, shelf] = BOOK.exec(file) ?? []
    const former = shelf === undefined ? undefined : foldersInBook(join(out, file), shelf)
    if (former === undefined) return []
    const pages = [...pagesIn(out, ''), ...pagesIn(out, shelf!)]
    const isLinked = (folder: string) =>
      pages.some(({ text, from }) => text.includes(`href="${from}${encodeURIComponent(folder)}/`))
    const unused = former.filter((folder) => !isLinked(folder))
    for (const folder of unused) rmSync(join(out, shelf!, folder), { recursive: true, force: true })
    if (unused.length === former.length) rmSync(join(out, file))
    return unused.map((folder) => `${shelf}/${folder}`)

    function pagesIn(root: string, folder: string) {
      const path = join(root, folder)
      const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.html')) : []
      const from = folder === '' ? `${shelf}/` : ''
      return names.map((name) => ({ text: readFileSync(join(path, name), 'utf8'), from }))
    }
  })
}

/** Undefined if another program wrote the file. */
function foldersInBook(path: string, shelf: string): string[] | undefined {
  try {
    const book: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (!Array.isArray(book) || !book.every((one) => typeof one?.page === 'string')) return undefined
    const folders = (book as { page: string; former?: unknown }[]).flatMap(({ page, former = [] }) => {
      const [first, folder = '', ...rest] = page.split('/')
      return first === shelf && rest.join('/') === 'index.html'
        ? [decodeURIComponent(folder), ...(Array.isArray(former) ? former.map(String) : [])]
        : []
    })
    return folders.filter((folder) => SAFE.test(folder))
  } catch {
    return undefined
  }
}
