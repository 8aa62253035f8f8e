/** Characters that look like those of markup, and are none: no client that reads Markdown in its own way is trusted with escapes. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '*': '\u2217',
  _: '\uff3f',
  '~': '\u223c',
  '`': '\u02cb',
  '&': '\uff06',
  '<': '\uff1c',
  '>': '\uff1e',
  '[': '\uff3b',
  ']': '\uff3d',
  '#': '\uff03',
  '|': '\uff5c',
  '\\': '\uff3c',
}

/** A text in which these characters of markup are replaced by look-alikes. */
export function withLookAlikes(text: string, characters: RegExp): string {
  return text.replace(characters, (character) => LOOK_ALIKES[character] ?? character)
}

/** A text that is none of the Markdown of a chat: no emphasis, code, heading, quote, table, mention, tag, link or entity. */
export function inertMarkdown(text: string): string {
  return withLookAlikes(text, /[*_~`&<>[\]#|\\]/g).replaceAll('://', ':\u200b//')
}

/** An address inside of a link of Markdown, which none of its characters ends. */
export function markdownAddress(address: string): string {
  return address.replace(
    /[()<>[\]\s|\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  )
}
