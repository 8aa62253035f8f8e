/** Returns a pseudorandom 32-bit number. Equal arguments give equal numbers, so `salt` differs for each purpose. */
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

/** Returns a number in [0, 1). */
export function unit(seed: number, index: number, salt: number): number {
  return hash(seed, index, salt) / 0x1_0000_0000
}

/** Returns a log-normal number by the Box–Muller method. `spread` is the sigma of the logarithm. */
export function logNormal(seed: number, index: number, salt: number, median: number, spread: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - unit(seed, index, salt)))
  const normal = radius * Math.cos(2 * Math.PI * unit(seed, index, salt + 7919))
  return median * Math.exp(spread * normal)
}

export function pick<T>(list: readonly T[], seed: number, index: number, salt: number): T {
  return list[hash(seed, index, salt) % list.length]!
}

/**
 * Hexadecimal text of each 16-bit number, because `toString(16)` takes ten times as long for numbers beyond 31 bits.
 */
const HEX4 = Array.from({ length: 0x1_0000 }, (_, value) => value.toString(16).padStart(4, '0'))

export function hex(value: number, digits: number): string {
  return (HEX4[value >>> 16]! + HEX4[value & 0xffff]!).slice(-digits)
}
