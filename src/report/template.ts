import { attempt, type Tell } from './mistakes.ts'
import { type Place, parseTag, type Tag } from './tag.ts'

/** Running text of the author, in which tags wait for their values. */
export type Template =
  | { kind: 'text'; text: string }
  | { kind: 'tag'; tag: Tag }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: Template[] }
  | { kind: 'link'; href: string; content: Template[] }

/** Splits text at its tags. One that is wrong is told and stays as text. */
export function parseTemplate(text: string, at: Place, tell: Tell): Template[] {
  return text
    .split(/(\{\{.*?\}\})/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const isTag = piece.startsWith('{{') && piece.endsWith('}}')
      const tag = isTag ? attempt(() => parseTag(piece.slice(2, -2), at), tell) : undefined
      return tag ? { kind: 'tag', tag } : { kind: 'text', text: piece }
    })
}

/** All tags of a text, in order. */
export function tagsOf(template: readonly Template[]): Tag[] {
  return template.flatMap((node) =>
    node.kind === 'tag' ? [node.tag] : 'content' in node ? tagsOf(node.content) : [],
  )
}
