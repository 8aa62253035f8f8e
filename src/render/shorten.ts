/** At most `most` characters of a text, the last one an ellipsis when something is left out. Pairs stay whole. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = Array.from(text.slice(0, 2 * most + 2))
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
