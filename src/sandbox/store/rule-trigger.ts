import { hash, unit } from '../random.ts'
import type { MonitRule } from './account.ts'

const SLOT_S = 900

/** Whether a rule is triggered: a disabled one never is, the others for a quarter of an hour now and then. */
export function isTriggered(rule: MonitRule, now: number, seed: number): boolean {
  if (!rule.enabled) return false
  const name = Number(BigInt.asUintN(32, BigInt(rule.id)))
  const usual = 0.01 + 0.12 * unit(seed, name, 310)
  return unit(hash(seed, name, 311), Math.floor(now / SLOT_S), 312) < usual
}
