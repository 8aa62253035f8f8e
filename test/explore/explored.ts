import { afterAll, beforeAll, expect } from 'vitest'
import { type Explorer, explorer } from '../../src/explore/explore.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { openReader, publishedAt } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

/** A configuration with custom definitions, namely a dimension and an exclusion. */
export const ownWords: Settings = {
  ...defaultSettings,
  dimensions: [{ name: 'service', source: "split_part(title, ':', 1)", at: 'test' }],
  exclusions: [{ name: 'data', where: "channel_name = 'data'", reason: null, at: 'test' }],
}

/** The explorer over the company of the report tests, and the file that it reads. */
export async function exploredCompany(
  settings = ownWords,
): Promise<{ warehouse: string; explored: Explorer }> {
  const warehouse = await warehouseFile(settleCompany)
  return {
    warehouse,
    explored: explorer({ warehouse: publishedAt(warehouse), settings, timezone: undefined }),
  }
}

/** Opens the explorer before the tests of a file, and closes it after them. */
export function exploring() {
  let made: Awaited<ReturnType<typeof exploredCompany>>
  beforeAll(async () => {
    made = await exploredCompany()
  })
  afterAll(() => made.explored.close())
  const answered = (address: string) => sent(made.explored, address)
  return {
    warehouse: () => made.warehouse,
    answered,
    async page(query: string): Promise<string> {
      const { status, text } = await answered(`/explore?${query}`)
      expect(status, text).toBe(200)
      return text
    },
    /** The rows of a statement that bypasses the explorer. */
    async rowsOf(sql: string) {
      const reader = await openReader(made.warehouse, { settings: ownWords })
      const { rows } = await reader.query(sql)
      reader.close()
      return rows
    },
  }
}

export async function sent(explored: Explorer, address: string): Promise<{ status: number; text: string }> {
  const { pathname, searchParams } = new URL(address, 'http://localhost')
  const answer = await explored.answer(pathname, searchParams)
  if (answer === undefined) return { status: 404, text: '' }
  let text = ''
  for await (const part of typeof answer.body === 'string' ? [answer.body] : answer.body) text += part
  return { status: answer.status, text }
}

export const unescaped = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Text of HTML without tags and spaces. */
export const bare = (html: string) => unescaped(html.replace(/<[^>]*>/g, '')).replace(/[\s\u00a0\u202f]/g, '')

/** The figure of each card of a page, by label. */
export function cardsOf(page: string): Map<string, string> {
  const cards = page.matchAll(/<dt>([^<]*)<\/dt><dd class="figure">(.*?)<\/dd>/g)
  return new Map([...cards].map(([, label, figure]) => [label!, bare(figure!)]))
}

/** A line below the figure of a card: `basis` is its number of incidents, `move` its previous figure. */
export function lineOf(page: string, label: string, line: 'basis' | 'move'): string {
  const card = new RegExp(`<dt>${label}</dt>(.*?)</div>`).exec(page)?.[1] ?? ''
  return bare(new RegExp(`<dd class="[^"]*${line}">(.*?)</dd>`).exec(card)?.[1] ?? '')
}

export function valuesOf(page: string, label: string): Map<string, number> {
  const section = new RegExp(`<section><h3>${label}</h3>(.*?)</section>`).exec(page)?.[1] ?? ''
  const values = section.matchAll(/<span>(.*?)<\/span><span class="count"> ([\d,]+)<\/span><\/a>/g)
  return new Map([...values].map(([, name, count]) => [bare(name!), Number(count!.replaceAll(',', ''))]))
}
