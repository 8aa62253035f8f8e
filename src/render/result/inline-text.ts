/** A piece of a formatted value: a figure or its unit. */
export interface Part {
  text: string
  unit?: true
}

/** The meaning of a change. Only `better` and `worse` have a color. */
export type Tone = 'better' | 'worse' | 'same'

/** Running text. Data must appear only in `value` and `text`, never as markup. */
export type Inline =
  | { kind: 'text'; text: string }
  /** `list` is the id of the incident list, and `href` its address within a page. */
  | { kind: 'value'; parts: readonly Part[]; tone?: Tone; list?: string; href?: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: readonly Inline[] }
  | { kind: 'link'; href: string; content: readonly Inline[] }
