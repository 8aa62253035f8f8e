import { type Child, h } from '../html.ts'

export const severities = ['Critical', 'Warning', 'Info', 'Ok']

export function colorClass(category: string, index: number): string {
  const rank = severities.indexOf(category)
  return rank < 0 ? `c${index % 6}` : `sev${rank}`
}

/** Removes duplicates, and sorts severities from worst to mildest. Other names follow in their original order. */
export function inOrder(categories: readonly string[]): string[] {
  const rank = (name: string) => (severities.includes(name) ? severities.indexOf(name) : severities.length)
  return [...new Set(categories)].sort((a, b) => rank(a) - rank(b))
}

/** Stripe patterns for colors that look alike in grayscale. */
const stripes: Record<string, [size: number, angle: number, width: number]> = {
  sev3: [5, 45, 1.6],
  c1: [5, 45, 1.6],
  c2: [5, -45, 1.6],
  c3: [4, 90, 1.4],
  c4: [4, 0, 1.4],
  c5: [3, 45, 1.4],
}

export function fillOf(category: string, index: number): { class: string; fill?: string } {
  const name = colorClass(category, index)
  return stripes[name] ? { class: 'area', fill: `url(#k-${name})` } : { class: name }
}

/** Defines the patterns that `fillOf` uses. A page needs this only once. */
export function patterns(): Child {
  const all = Object.entries(stripes).map(([name, [size, angle, width]]) => {
    const box = { width: size, height: size }
    const placed = { patternUnits: 'userSpaceOnUse', patternTransform: `rotate(${angle})` }
    const rects = [h('rect', { class: name, ...box }), h('rect', { class: 'gap', width, height: size })]
    return h('pattern', { id: `k-${name}`, ...box, ...placed }, rects)
  })
  return h('svg', { class: 'defs', width: 0, height: 0, 'aria-hidden': 'true' }, h('defs', {}, all))
}
