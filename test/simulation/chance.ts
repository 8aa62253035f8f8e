import { unit } from '../../dist/sandbox/random.js'

/**
 * Random numbers that depend only on the seed, the number of the night and a purpose. All other events therefore stay
 * the same if a simulation omits one event.
 */
export interface Chance {
  /** A number in [0, 1). */
  draw(): number
  is(probability: number): boolean
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number
  of<One>(list: readonly One[]): One
}

export function chanceOf(seed: number, night: number, purpose: string): Chance {
  let drawn = 0
  const salt = [...purpose].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7)
  const draw = () => unit(seed, night * 4_096 + drawn++, salt)
  const whole = (least: number, most: number) => Math.floor(least + draw() * (most - least + 1))
  return {
    draw,
    is: (probability) => draw() < probability,
    whole,
    of: (list) => list[whole(0, list.length - 1)]!,
  }
}
