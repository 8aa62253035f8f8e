/** A piece of a formatted value: a figure or its unit. */
export interface Part {
  text: string
  unit?: true
}

/** What a change means; only `better` and `worse` have a colour. */
export type Tone = 'better' | 'worse' | 'same'

/** Running text. Data enters as `value` and `text` only, never as markup. */
export type Inline =
  | { kind: 'text'; text: string }
  /** `list` is that of what a number counts, and `href` in a page its address. */
  | { kind: 'value'; parts: readonly Part[]; tone?: Tone; list?: string; href?: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: readonly Inline[] }
  | { kind: 'link'; href: string; content: readonly Inline[] }
