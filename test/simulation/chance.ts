import { unit } from '../../dist/sandbox/random.js'

/**
 * What is drawn of one night for one purpose: the same for a seed, whatever else is drawn or left out, so that a run without
 * some of its events is the same in all others.
 */
export interface Chance {
  /** In [0, 1). */
  draw(): number
  /** Whether something of this probability happens. */
  is(probability: number): boolean
  /** A whole number, both ends included. */
  whole(least: number, most: number): number
  /** One of a list that is not empty. */
  of<One>(list: readonly One[]): One
}

/** @param purpose a word; each has draws of its own */
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
