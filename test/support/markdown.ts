import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import MarkdownIt from 'markdown-it'

/** The root of the checkout. `files` contains tracked and new files, without ignored ones. */
export const root = fileURLToPath(new URL('../../', import.meta.url))
export const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '')

/** Every Markdown page except `reports/*.md`, which are reports with their own tests. */
export const pages = files.filter(
  (path) => path.endsWith('.md') && !/^reports\/(explore\/)?[\w-]+\.md$/.test(path),
)

export const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

export interface Block {
  readonly page: string
  /** The first word after the fence. `sh` for an indented block, and empty if there is no word. */
  readonly language: string
  readonly text: string
  /** The block's requirement from the hidden comment `<!-- needs: … -->` above it. */
  readonly needs: string | undefined
}

const markdown = new MarkdownIt({ html: true })

/** Returns all code blocks of a page, including indented blocks and blocks in lists. */
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

export function blocks(page: string, language: string): string[] {
  return blocksOf(page)
    .filter((block) => block.language === language)
    .map(({ text }) => text)
}
