import { type Child, h } from '../html.ts'

export const severities = ['Critical', 'Warning', 'Info', 'Ok']

/** Returns the color class of a category. Severities have fixed colors, and others use the palette in order. */
export function colorClass(category: string, index: number): string {
  const rank = severities.indexOf(category)
  return rank < 0 ? `c${index % 6}` : `sev${rank}`
}

/** Sorts severities from worst to mildest. Other categories follow in their given order. */
export function inOrder(categories: readonly string[]): string[] {
  const rank = (name: string) => (severities.includes(name) ? severities.indexOf(name) : severities.length)
  return [...new Set(categories)].sort((a, b) => rank(a) - rank(b))
}

/** Stripes that distinguish colors which look alike in grayscale. */
const stripes: Record<string, [size: number, angle: number, width: number]> = {
  sev3: [5, 45, 1.6],
  c1: [5, 45, 1.6],
  c2: [5, -45, 1.6],
  c3: [4, 90, 1.4],
  c4: [4, 0, 1.4],
  c5: [3, 45, 1.4],
}

/** Returns the fill of a category as a class, or as a pattern of that class. */
export function fillOf(category: string, index: number): { class: string; fill?: string } {
  const name = colorClass(category, index)
  return stripes[name] ? { class: 'area', fill: `url(#k-${name})` } : { class: name }
}

/** Defines the patterns that `fillOf` uses, once per page. */
export function patterns(): Child {
  const all = Object.entries(stripes).map(([name, [size, angle, width]]) =>
    h(
      'pattern',
      {
        id: `k-${name}`,
        width: size,
        height: size,
        patternUnits: 'userSpaceOnUse',
        patternTransform: `rotate(${angle})`,
      },
      h('rect', { class: name, width: size, height: size }),
      h('rect', { class: 'gap', width, height: size }),
    ),
  )
  return h('svg', { class: 'defs', width: 0, height: 0, 'aria-hidden': 'true' }, h('defs', {}, all))
}
