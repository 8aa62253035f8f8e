import { words } from '../../src/render/summary.ts'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** What a reader can read on a page, without its queries: a line for each block, cell and text of a drawing; narrow spaces are plain ones. */
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

/** The sentences of a page: what has a verb's worth of words, each with its stop. */
export const sentencesOf = (lines: readonly string[]) =>
  lines.filter((line) => line.split(' ').length >= 4).flatMap((line) => line.split(/(?<=[.!?]) (?=\p{Lu})/u))
