import { z } from 'zod'
import { refuse } from './config-fields.ts'

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 } as const

/** Converts a text such as `90s`, `15m`, `1h30m`, `7d` or `2w` to seconds. Returns undefined if it is invalid. */
export function parseDuration(text: string): number | undefined {
  const dense = text.replaceAll(' ', '')
  if (!/^(\d+(\.\d+)?[smhdw])+$/.test(dense)) return undefined
  return [...dense.matchAll(/([\d.]+)([smhdw])/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * SECONDS[unit as keyof typeof SECONDS],
    0,
  )
}

/** Schema of a duration, written as a number of seconds or as a text such as `15m`. The output is in seconds. */
export const duration = z
  .union([z.number(), z.string()], 'expected seconds, or a text such as 15m, 4h or 7d')
  .transform((value, context) => {
    const seconds = typeof value === 'number' ? value : parseDuration(value)
    if (seconds !== undefined && seconds > 0) return seconds
    return refuse(context, 'expected seconds above 0, or a text such as 15m, 4h or 7d')
  })
