import { numberOf } from './format.ts'
import { h, type Markup } from './html.ts'
import type { Value } from './result.ts'

const BLOCKS = '▁▂▃▄▅▆▇█'
const [WIDTH, HEIGHT] = [90, 18]

/** The numbers of a list; empty for anything else. */
function numbersOf(value: Value): number[] {
  return Array.isArray(value) ? value.map((each) => numberOf(each) ?? 0) : []
}

/** A list of numbers as one character each, from 0 to the largest. */
export function sparkText(value: Value): string {
  const numbers = numbersOf(value)
  const largest = Math.max(1, ...numbers)
  return numbers
    .map((each) => BLOCKS[Math.round((Math.max(0, each) / largest) * (BLOCKS.length - 1))])
    .join('')
}

/** A list of numbers as a small line, from 0 to the largest, with a dot at the last. */
export function sparkHtml(value: Value): Markup | null {
  const numbers = numbersOf(value)
  if (numbers.length < 2) return null
  const largest = Math.max(1, ...numbers)
  const x = (index: number) => Math.round(2 + (index / (numbers.length - 1)) * (WIDTH - 6))
  const y = (one: number) => Math.round(HEIGHT - 3 - (one / largest) * (HEIGHT - 6))
  const last = numbers.length - 1
  return h(
    'svg',
    {
      class: 'row-spark',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: 'img',
      'aria-label': `${numbers.length} weeks, from ${Math.min(...numbers)} to ${largest}, last ${numbers[last]}`,
    },
    h('path', { class: 'stroke', d: `M${numbers.map((one, index) => `${x(index)} ${y(one)}`).join('L')}` }),
    h('circle', { class: 'd0', cx: x(last), cy: y(numbers[last]!), r: 2.5 }),
  )
}
