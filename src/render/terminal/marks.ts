const levels = '▁▂▃▄▅▆▇█'
const eighths = ' ▏▎▍▌▋▊▉'

/** Values as one character each, from 0 to the highest; a gap is a space. */
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

/** A bar of a share of `width` characters, to an eighth of one. */
export function bar(share: number, width: number): string {
  const parts = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const rest = parts % 8
  const drawn = '█'.repeat(Math.floor(parts / 8)) + (rest ? eighths[rest] : '')
  return share > 0 && drawn === '' ? eighths[1]! : drawn
}

/** At most `count` values, each the mean of the ones it stands for. */
export function thinned(values: readonly (number | null)[], count: number): (number | null)[] {
  if (values.length <= count) return [...values]
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * values.length) / count)
    const to = Math.floor(((index + 1) * values.length) / count)
    const some = values.slice(from, to).filter((value) => value !== null)
    return some.length ? some.reduce((sum, value) => sum + value, 0) / some.length : null
  })
}
