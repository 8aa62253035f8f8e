/**
 * Randomness as a pure function: the same seed, index and salt always give the same number, in any order of
 * asking. A world can then be told from the middle, and a value that is not stored can be told again.
 */
export function hash(seed: number, index: number, salt: number): number {
  let h =
    Math.imul(seed ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b) ^ Math.imul(index + 0x7f4a7c15, 0xc2b2ae35)
  h ^= h >>> 16
  h = Math.imul(h, 0x7feb352d)
  h ^= h >>> 15
  h = Math.imul(h, 0x846ca68b)
  h ^= h >>> 16
  return h >>> 0
}

/** A number in [0, 1). */
export function unit(seed: number, index: number, salt: number): number {
  return hash(seed, index, salt) / 0x1_0000_0000
}

/** A standard normal number (Box and Muller, one of the pair). */
export function normal(seed: number, index: number, salt: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - unit(seed, index, salt)))
  return radius * Math.cos(2 * Math.PI * unit(seed, index, salt + 7919))
}

/** A log-normal number with the given median and spread (sigma of the logarithm). */
export function logNormal(seed: number, index: number, salt: number, median: number, spread: number): number {
  return median * Math.exp(spread * normal(seed, index, salt))
}

/** One entry of a list that is not empty. */
export function pick<T>(list: readonly T[], seed: number, index: number, salt: number): T {
  return list[hash(seed, index, salt) % list.length]!
}

const HEX4 = Array.from({ length: 0x1_0000 }, (_, value) => value.toString(16).padStart(4, '0'))

/** Eight hexadecimal digits of 32 bits. */
export function hex8(value: number): string {
  return HEX4[value >>> 16]! + HEX4[value & 0xffff]!
}

/** Four hexadecimal digits of the low 16 bits. */
export function hex4(value: number): string {
  return HEX4[value & 0xffff]!
}

/** Six hexadecimal digits of the low 24 bits. */
export function hex6(value: number): string {
  return HEX4[(value >>> 8) & 0xffff]! + HEX4[(value & 0xff) << 8]!.slice(0, 2)
}
