/** Invisible characters, which could hide instructions to a language model. Excludes those that emoji need. */
const UNSEEN = /(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu

/** Makes untrusted text safe to show. Control and bidirectional characters become U+FFFD. */
export function clean(text: string): string {
  return text
    .replace(/[\t\n\r\u2028\u2029]+/g, ' ')
    .replace(
      /[\p{Cs}\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu,
      '\ufffd',
    )
    .replace(UNSEEN, '')
}

export function dropUnseen(text: string): string {
  return text.replace(UNSEEN, '')
}

/** Makes untrusted text safe to print in a terminal. Also drops terminal escape sequences. */
export function cleanForTerminal(text: string): string {
  return clean(
    text
      // Drops strings such as OSC first (they end with BEL or ST), then CSI sequences, then two-character sequences.
      .replace(
        /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g,
        '',
      )
      .replace(/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g, '')
      .replace(/\u001b[ -/]*[0-~]?/g, ''),
  )
}

/** Characters that control a terminal, reorder text or are invisible, and that JSON does not escape. */
const ACTS = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029]|${UNSEEN.source}`, 'gu')

/** Replaces the characters of `ACTS` in a JSON text with `\u` escapes. The parsed value stays the same. */
export function escapeActing(text: string): string {
  return text.replace(ACTS, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Escapes untrusted text for Markdown, so that none of it becomes a link, image, tag or formula. */
export function cleanForMarkdown(text: string): string {
  return cleanForTerminal(text)
    .replace(/[\\`*_[\]<>|~$&]/g, (character) => ENTITIES[character] ?? `\\${character}`)
    .replaceAll('://', ':\\/\\/')
    .replace(/\bwww\./gi, (found) => `${found.slice(0, -1)}\\.`)
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }

/** Shortens a text to at most `most` characters, with an ellipsis at the end. Does not split surrogate pairs. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = Array.from(text.slice(0, 2 * most + 2))
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
