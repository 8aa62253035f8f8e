import { z } from 'zod'
import { format, reference } from './block-schema.ts'

/** A row of cards. */
export const kpiSchema = z
  .array(
    z.strictObject({
      label: z.string(),
      value: reference,
      format,
      better: z.enum(['lower', 'higher', 'neither']).default('neither'),
      /** Observations behind the value. */
      n: reference.optional(),
      /** A column over weeks, drawn as a small line. */
      trend: reference.optional(),
      /** In the unit of the value: seconds, a share, or a number; or the column that holds it. */
      target: z.union([z.number(), reference]).optional(),
    }),
  )
  .min(1)
  .max(6)

export type KpiBody = z.output<typeof kpiSchema>
