import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { reportJsonSchema } from '../../../src/report/parse/block-schema.ts'

const { $defs } = reportJsonSchema() as { $defs: Record<string, object> }
const reports = new URL('../../../reports/', import.meta.url)

/** Front matter and blocks of the included reports, each with its kind. */
function written(): [kind: string, body: unknown][] {
  const texts = readdirSync(reports)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(new URL(name, reports), 'utf8'))
  return texts.flatMap((text) => [
    ['front_matter', parse(/^---\n(.*?)\n---/s.exec(text)![1]!)] as [string, unknown],
    ...[...text.matchAll(/^```(kpi|metrics|chart|table)(?: \w+)?\n(.*?)^```/gms)].map(
      (block): [string, unknown] => [block[1]!, parse(block[2]!)],
    ),
  ])
}

test('the JSON schema for editors accepts every included report, and rejects invalid blocks', () => {
  const check = Object.fromEntries(
    Object.entries($defs).map(([kind, one]) => [kind, z.fromJSONSchema(one as never)]),
  )
  // Included reports cannot have a block of events, because each company defines its own events.
  const bodies = [...written(), ['compare', { event: 'new rota' }] as [string, unknown]]
  expect(new Set(bodies.map(([kind]) => kind))).toEqual(new Set(Object.keys($defs)))
  for (const [kind, body] of bodies) expect(check[kind]!.safeParse(body).error, kind).toBeUndefined()
  expect(check.front_matter!.safeParse({ titel: 'x' }).success).toBe(false)
  expect(check.chart!.safeParse({ type: 'pie', title: 'x', data: 'q', x: 'a', y: 'b' }).success).toBe(false)
})
