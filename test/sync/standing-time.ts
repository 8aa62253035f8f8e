import { type Effects, silent } from '../../src/effects.ts'

/** A clock that stands at the moment given, Unix ms. */
export function standingTime(now: number, sleep: Effects['sleep']): Effects {
  return { now: () => now, elapsed: () => now, sleep, random: () => 0.5, log: silent }
}

/** Nothing is waited for. */
export const atOnce = async () => {}

/** What is waited for never comes. */
export const forever = () => new Promise<never>(() => {})
