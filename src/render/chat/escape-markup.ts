/** Look-alikes of Markdown characters. Escaping is unreliable, because chats parse Markdown differently. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ...{ '*': '\u2217', _: '\uff3f', '~': '\u223c', '`': '\u02cb', '&': '\uff06', '<': '\uff1c' },
  ...{ '>': '\uff1e', '[': '\uff3b', ']': '\uff3d', '#': '\uff03', '|': '\uff5c', '\\': '\uff3c' },
}

export function withLookAlikes(text: string, characters: RegExp): string {
  return text.replace(characters, (character) => LOOK_ALIKES[character] ?? character)
}

/** Disables all Markdown in a text, including mentions, links and entities. */
export function inertMarkdown(text: string): string {
  return withLookAlikes(text, /[*_~`&<>[\]#|\\]/g).replaceAll('://', ':\u200b//')
}

/** Encodes characters that would end a Markdown link. */
export function markdownAddress(address: string): string {
  return address.replace(
    /[()<>[\]\s|\\]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  )
}
