import { z } from 'zod'

export const name = z.string().regex(/^[a-z]\w*$/i, 'expected the name of a query or a column')
export const optionalName = name.nullable().default(null)
export const namePair = z.tuple([name, name]).nullable().default(null)

/** How values are shown. A duration is in seconds, and a percentage is a share from 0 to 1. */
export const format = z.enum(['duration', 'number', 'percent', 'date', 'time', 'text'])
export type Format = z.output<typeof format>

/** Scale of the value axis. It has no default here, because the default depends on the type of chart. */
export const anyScale = z.enum(['linear', 'log'])
export const scale = anyScale.default('linear')
export const small = z.number().int().positive().default(10)

export type Fixed = string | number | boolean
const fixed = z.union([z.string(), z.number(), z.boolean()])

/** Selects incidents behind a number. Maps a column of the list to a query column, constants or a range. */
export const incidents = z
  .union([
    name.transform((column): Mapping => ({ [column]: column })),
    z.record(name, z.union([fixed, z.array(fixed.nullable()).min(1)])),
  ])
  .nullable()
  .default(null)
export type Mapping = Readonly<Record<string, Fixed | (Fixed | null)[]>>

export const columnSpec = z.strictObject({
  column: name,
  label: z.string().optional(),
  format: format.optional(),
  bar: z.boolean().default(false),
  /** True to draw the numbers of the column. The name of a column with numbers to draw them beside the value. */
  spark: z.union([z.boolean(), name]).default(false),
  badge: z.boolean().default(false),
  link: optionalName,
  wrap: z.boolean().default(false),
  interval: namePair,
  /** Column with the sample size. The table marks figures that are based on fewer than 8 incidents. */
  n: optionalName,
  /** Column with the number of open incidents that the figure excludes. Boolean if each row is one incident. */
  open: optionalName,
  incidents,
  /**
   * Adds the findings for the worse about the team in this column, and moves these rows to the top. The table’s title
   * becomes the number of these teams.
   */
  findings: optionalName,
  /** Columns of priority 2 are hidden on a phone. */
  priority: z.union([z.literal(1), z.literal(2)]).default(1),
})
export const columnOf = (column: string): z.output<typeof columnSpec> => ({
  ...columnSpec.parse({ column: 'column' }),
  column,
})

export type TableColumn = z.output<typeof columnSpec> & { label: string; format: Format }
