import { z } from 'zod'

/** The name of a query or of a column. */
export const name = z.string().regex(/^[a-z]\w*$/i, 'expected the name of a query or a column')
export const optionalName = name.nullable().default(null)
/** Two columns: the lower and the upper end of something. */
export const namePair = z.tuple([name, name]).nullable().default(null)

/** How values are shown. A duration is in seconds, a percent is a share between 0 and 1. */
export const format = z.enum(['duration', 'number', 'percent', 'date', 'time', 'text'])
/** One of them. */
export type Format = z.output<typeof format>

/** The axis of what is measured; where it may be left out, what is then is said there: a default holds inside of `optional` too. */
export const anyScale = z.enum(['linear', 'log'])
export const scale = anyScale.default('linear')
/** Fewer observations than these are marked. */
export const small = z.number().int().positive().default(10)

/** A value that stands in a report. */
export type Fixed = string | number | boolean
const fixed = z.union([z.string(), z.number(), z.boolean()])

/**
 * Which incidents a number opens: columns of the list, each with a column of the block's query, a constant, several, or two ends. A
 * name alone is the same column of both.
 */
export const incidents = z
  .union([
    name.transform((column): Mapping => ({ [column]: column })),
    z.record(name, z.union([fixed, z.array(fixed.nullable()).min(1)])),
  ])
  .nullable()
  .default(null)
export type Mapping = Readonly<Record<string, Fixed | (Fixed | null)[]>>

/** A column of a table; its name and its type give the label and the format that are left out. */
export const columnSpec = z.strictObject({
  column: name,
  label: z.string().optional(),
  format: format.optional(),
  /** Draws a small bar beside the figure. */
  bar: z.boolean().default(false),
  /** Draws a list of numbers as a small line. */
  spark: z.boolean().default(false),
  /** Shows the value as a coloured mark and its text, for severities. */
  badge: z.boolean().default(false),
  /** Column whose value is the address this cell links to. */
  link: optionalName,
  /** Lets long text break over lines. */
  wrap: z.boolean().default(false),
  /** Column that says of the figure that nobody set it. */
  default: optionalName,
  /** Columns of the ends of the figure's 95 % interval, written below it. */
  interval: namePair,
  /** Column with how many incidents the figure rests on; where they are few, it is marked. */
  n: optionalName,
  /** Column with how many are still open and not in it, or, of one incident, whether it is: written below it. */
  open: optionalName,
  /** The incidents that it counts. */
  incidents,
  /**
   * Where the cell is empty, what is said of the change of a figure: `column` of `query`, which has both periods of each row; `by` is
   * what the row is called in both.
   */
  verdict: z.strictObject({ query: name, column: name, by: name }).nullable().default(null),
  /** Columns of priority 2 are hidden on a phone. */
  priority: z.union([z.literal(1), z.literal(2)]).default(1),
})
/** A column of a result, whatever it is called: `count_star()` too. */
export const columnOf = (column: string): z.output<typeof columnSpec> => ({
  ...columnSpec.parse({ column: 'column' }),
  column,
})

/** A column as it is shown. */
export type TableColumn = z.output<typeof columnSpec> & { label: string; format: Format }
