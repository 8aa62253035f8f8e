import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import MarkdownIt from 'markdown-it'

/** The checkout, and its files: tracked, or not yet but not ignored. */
export const root = fileURLToPath(new URL('../../', import.meta.url))
export const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '')

/** Every Markdown page; `reports/*.md` are reports, which their own tests run. */
export const pages = files.filter(
  (path) => path.endsWith('.md') && !/^reports\/(explore\/)?[\w-]+\.md$/.test(path),
)

export const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

/** A block of a page that is no prose. */
export interface Block {
  readonly page: string
  /** First word after the fence; `sh` where the block is indented, empty where there is none. */
  readonly language: string
  readonly text: string
  /** What the block needs that is not here: the comment `<!-- needs: … -->` above it, which no reader sees. */
  readonly needs: string | undefined
}

const markdown = new MarkdownIt({ html: true })

/** The blocks of a page, in order, those inside of lists and indented ones included. */
export function blocksOf(page: string): Block[] {
  const tokens = markdown.parse(textOf(page), {})
  return tokens.flatMap(({ type, info, content }, at) => {
    if (type !== 'fence' && type !== 'code_block') return []
    const before = tokens[at - 1]
    const needs =
      before?.type === 'html_block' ? /<!-- needs: (.+?) -->/.exec(before.content)?.[1] : undefined
    const language = type === 'fence' ? info.trim().split(' ')[0]! : 'sh'
    return [{ page, language, text: content, needs }]
  })
}

/** The texts of a page's blocks in a language. */
export function blocks(page: string, language: string): string[] {
  return blocksOf(page)
    .filter((block) => block.language === language)
    .map(({ text }) => text)
}
