import { styleText } from 'node:util'
import { mean } from 'd3-array'
import stringWidth from 'string-width'
import type { Tone } from '../result-parts.ts'
import { cleanForTerminal } from '../sanitize-text.ts'

type Style = Parameters<typeof styleText>[0]

export interface Terminal {
  width: number
  paint(style: Style, text: string): string
}

export function terminal({ width, color }: { width: number; color: boolean }): Terminal {
  // Without `validateStream: false`, Node would check standard output and ignore the caller’s choice of color.
  const styled = (style: Style, text: string) => styleText(style, text, { validateStream: false })
  return { width: Math.max(40, width), paint: (style, text) => (color ? styled(style, text) : text) }
}

export const toneStyle: Record<Tone, Style> = { better: 'green', worse: 'red', same: 'dim' }

const severityStyle: Record<string, Style> = {
  Critical: 'magenta',
  Warning: 'red',
  Info: 'yellow',
  Ok: 'blue',
}

export function categoryStyle(name: string): Style {
  return severityStyle[name] ?? 'reset'
}

/** Makes untrusted text safe to print in a terminal. Also replaces special spaces and drops word joiners. */
export function safe(text: string): string {
  return cleanForTerminal(text)
    .replace(/[\u202f\u00a0]/g, ' ')
    .replaceAll('\u2060', '')
}

/** Cuts or pads `text` to exactly `width` columns. Wide characters count as two. */
export function pad(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const cut = stringWidth(text) > width ? shortened(text, width) : text
  const space = ' '.repeat(Math.max(0, width - stringWidth(cut)))
  return side === 'left' ? cut + space : space + cut
}

function shortened(text: string, width: number): string {
  let kept = ''
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

export function wrapped(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(/ +/)) {
    const line = lines.at(-1)!
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && stringWidth(longer) > width) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}

/** Wraps a colored line to `width` columns. All lines after the first are indented by four spaces. */
export function broken(line: string, width: number): string[] {
  const lines: string[] = []
  let rest = line
  while (stringWidth(rest) > width) {
    const end = lastBreak(rest, width)
    if (end <= 0) break
    lines.push(rest.slice(0, end).trimEnd())
    rest = `    ${rest.slice(end).trimStart()}`
  }
  return [...lines, rest]
}

/** Prefers a `·` in the second half of the line, and then the last space that fits. Returns 0 without either. */
function lastBreak(line: string, width: number): number {
  const indent = line.length - line.trimStart().length
  let [space, point] = [0, 0]
  for (const { index } of line.matchAll(/ /g)) {
    const taken = stringWidth(line.slice(0, index))
    if (taken > width) break
    if (index > indent) space = index
    if (taken > width / 2 && /^ (?:\u001b\[\d+m)*·/.test(line.slice(index))) point = index
  }
  return point || space
}

const eighths = ' ▏▎▍▌▋▊▉'

export function bar(share: number, width: number): string {
  const parts = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const rest = parts % 8
  const drawn = '█'.repeat(Math.floor(parts / 8)) + (rest ? eighths[rest] : '')
  return share > 0 && drawn === '' ? eighths[1]! : drawn
}

/** Reduces a list to at most `count` values, each the mean of neighboring values. */
export function thinned(values: readonly (number | null)[], count: number): (number | null)[] {
  if (values.length <= count) return [...values]
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * values.length) / count)
    const to = Math.floor(((index + 1) * values.length) / count)
    return mean(values.slice(from, to)) ?? null
  })
}
