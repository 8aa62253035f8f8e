import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A link from a page to a list of incidents. */
export interface ListLink {
  readonly href: string
  /** The number in the text or readout of the link. Null for a name, and for a chart mark without a readout. */
  readonly said: number | null
}

const LINK = /<a\b[^>]*\bhref="([^"#]*\/incidents\/[^"]*)"[^>]*>(.*?)<\/a>/gs
const number = (text: string) => Number(text.replace(/[\s,\u00a0\u202f]/g, ''))

export function listLinks(html: string): ListLink[] {
  return [...html.matchAll(LINK)].map(([, href = '', content = '']) => {
    const main = /<tspan class="main">(?:[a-z ]+ )?([\d,\u202f]+)<\/tspan>/.exec(content)?.[1]
    const text = content.replace(/<[^>]*>/g, ' ')
    const n = / · n ([\d,\u202f]+)/.exec(text)?.[1] ?? / · ([\d,\u202f]+) until then/.exec(text)?.[1]
    const whole = /^\s*([\d,\u202f]+)\s*$/.exec(text)?.[1]
    const said = main ?? n ?? whole
    return { href, said: said === undefined ? null : number(said) }
  })
}

const measures: Readonly<Record<string, RegExp>> = {
  'Time to acknowledge': /acknowledged|time to acknowledge/i,
  'Time to resolve': /resolved|time to resolve/i,
  'Time to recover': /recover/i,
  Duration: /open|duration/i,
}

/**
 * Returns the number in a list’s heading, the number of rows in the list, and whether the heading names the time in
 * the first column.
 */
export function readList(html: string): { said: number; rows: number; isNamed: boolean } {
  const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(html) ?? []
  const [, first = ''] = /<th[^>]*>([^<]*)/.exec(html) ?? []
  const [, said = ''] = /.*: (?:[\d,\u202f]+ of )?([\d,\u202f]+)[^:]*$/s.exec(heading) ?? []
  const isNamed = measures[first]?.test(heading) ?? true
  return { said: number(said), rows: html.split('<tr><td').length - 1, isNamed }
}

/** Returns errors in the lists to which a page links. */
export function mistakesOfLinks(page: string): string[] {
  const mistakes: string[] = []
  for (const { href, said } of listLinks(readFileSync(page, 'utf8'))) {
    const path = join(dirname(page), decodeURIComponent(href))
    if (!existsSync(path)) {
      mistakes.push(`${href} is not there`)
      continue
    }
    const list = readList(readFileSync(path, 'utf8'))
    if (said !== null && said !== list.said) mistakes.push(`${href}: ${said} leads to ${list.said}`)
    if (!list.isNamed) mistakes.push(`${href}: the title does not name the time in the first column`)
    if (list.rows !== Math.min(list.said, 500)) mistakes.push(`${href}: ${list.rows} rows of ${list.said}`)
  }
  return mistakes
}
