import { numberOf } from './format.ts'
import { h, type Markup } from './html.ts'
import type { Value } from './result-parts.ts'

const levels = '▁▂▃▄▅▆▇█'
const [WIDTH, HEIGHT] = [90, 18]

function numbersOf(value: Value): number[] {
  return Array.isArray(value) ? value.map((each) => numberOf(each) ?? 0) : []
}

/** Draws each value as one character, scaled from 0 to the maximum. A missing value becomes a space. */
export function sparks(values: readonly (number | null)[]): string {
  const highest = Math.max(0, ...values.filter((value) => value !== null))
  return values
    .map((value) => {
      if (value === null) return ' '
      const level = highest === 0 ? 0 : Math.round((Math.max(0, value) / highest) * (levels.length - 1))
      return levels[level]!
    })
    .join('')
}

export function sparkText(value: Value): string {
  return sparks(numbersOf(value))
}

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
      'aria-label': `${numbers.length} weeks, from ${Math.min(...numbers)} to ${largest}, latest ${numbers[last]}`,
    },
    h('path', { class: 'stroke', d: `M${numbers.map((one, index) => `${x(index)} ${y(one)}`).join('L')}` }),
    h('circle', { class: 'd0', cx: x(last), cy: y(numbers[last]!), r: 2.5 }),
  )
}
