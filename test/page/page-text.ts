import { words } from '../../src/render/summary.ts'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** Returns the visible text of a page without its queries. Each block, cell and chart text is a line. */
export function pageWords(html: string): string[] {
  return html
    .replace(/<(style|head|pre)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<\/(p|h\d|t[dhr]|li|d[td]|figcaption|text|title|desc|div|summary|caption|small|pre)>/g, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&([a-z]+|#39);/g, (all, name: string) => entities[name] ?? all)
    .split('\n')
    .map((line) => words(line).trim())
    .filter(Boolean)
}

/** The sentences of a page, from lines of at least four words. */
export const sentencesOf = (lines: readonly string[]) =>
  lines.filter((line) => line.split(' ').length >= 4).flatMap((line) => line.split(/(?<=[.!?]) (?=\p{Lu})/u))
