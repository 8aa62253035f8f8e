import { z } from 'zod'
import { frontMatterSchema, kpiSchema, tableSchema } from './block-schema.ts'
import { chartSchema } from './chart-schema.ts'

/** JSON Schema of what is written in a report, for editors: its front matter, and the body of each block. */
export function reportJsonSchema(): Record<string, unknown> {
  const parts = { front_matter: frontMatterSchema, kpi: kpiSchema, chart: chartSchema, table: tableSchema }
  const written = Object.entries(parts).map(([name, schema]) => {
    const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
    return [name, rest]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Front matter and blocks of a report',
    $ref: '#/$defs/front_matter',
    $defs: Object.fromEntries(written),
  }
}
