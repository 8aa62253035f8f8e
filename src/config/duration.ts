import { z } from 'zod'
import { parseDuration } from '../duration.ts'

/** A duration in the configuration: seconds as a number, or a text such as `15m`. Its output is seconds. */
export const duration = z
  .union([z.number(), z.string()], 'expected seconds, or a text such as 15m, 4h or 7d')
  .transform((value, context) => {
    const seconds = typeof value === 'number' ? value : parseDuration(value)
    if (seconds !== undefined && seconds > 0) return seconds
    context.addIssue({ code: 'custom', message: 'expected seconds above 0, or a text such as 15m, 4h or 7d' })
    return z.NEVER
  })
