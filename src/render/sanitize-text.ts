/** What no font draws, such as the tags U+E0041 …, by which a text can speak to models only. Emoji and scripts need the excepted ones. */
const UNSEEN = /(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu

/**
 * Makes text from outside safe to show: control characters, bidirectional controls and lone surrogates become U+FFFD,
 * tabs and line breaks become spaces, and unseen characters are dropped.
 */
export function clean(text: string): string {
  return text
    .replace(/[\t\n\r\u2028\u2029]+/g, ' ')
    .replace(
      /[\p{Cs}\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu,
      '\ufffd',
    )
    .replace(UNSEEN, '')
}

/** Takes unseen characters out of a text that is otherwise left as it is. */
export function dropUnseen(text: string): string {
  return text.replace(UNSEEN, '')
}

/** Like `clean`, but without terminal escape sequences, which are dropped. */
export function cleanForTerminal(text: string): string {
  return clean(
    text
      // OSC and other strings up to BEL or ST, then CSI, then any other two-character sequence.
      .replace(
        /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?/g,
        '',
      )
      .replace(/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?/g, '')
      .replace(/\u001b[ -/]*[0-~]?/g, ''),
  )
}

/** What acts on a terminal, turns the order of what is read or is unseen, beyond the control characters that JSON escapes itself. */
const ACTS = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029]|${UNSEEN.source}`, 'gu')

/** JSON, or text that was cleaned, with such characters as `\\u` escapes: in JSON nothing is lost. */
export function escapeActing(text: string): string {
  return text.replace(ACTS, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Text for a Markdown document: no markup, tag, image, formula or link becomes of it. */
export function cleanForMarkdown(text: string): string {
  return cleanForTerminal(text)
    .replace(/[\\`*_[\]<>|~$&]/g, (character) => ENTITIES[character] ?? `\\${character}`)
    .replaceAll('://', ':\\/\\/')
    .replace(/\bwww\./gi, (found) => `${found.slice(0, -1)}\\.`)
}

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }

/** At most `most` characters of a text, the last one an ellipsis when it was cut. Surrogate pairs are not split. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = Array.from(text.slice(0, 2 * most + 2))
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
