import { parseJson, stringifyJson } from '../../dist/contract/json.js'
import { startSandbox } from '../../dist/sandbox/start-sandbox.js'
import type { Chance } from './chance.ts'
import type { Company } from './company.ts'
import { DAY } from './life.ts'
import type { Answer, Asked } from './odd-service.ts'

/** A way in which the service's responses are abnormal. It stays in effect until it is ended. */
export interface Twist {
  /** Records that cannot be read, each as its table and its id. */
  readonly refused?: readonly string[]
  readonly isForGood?: boolean
  /** Changes the request before the sandbox receives it. */
  readonly ask?: (asked: Asked) => Asked['body']
  /** Returns the port of another service that responds to this request, or undefined. */
  readonly port?: (asked: Asked) => number | undefined
  readonly answer?: (asked: Asked, answer: Answer) => Answer | undefined
  /** Called after the last night on which the responses are abnormal. */
  readonly end?: () => void
  readonly close?: () => Promise<void>
}

/** Blanks that make a response exceed the 16 MB that the program accepts. They do not change the JSON value. */
const TOO_LARGE = ' '.repeat(17_000_000)
export const padded = (answer: Answer): Answer => ({
  ...answer,
  text: `${answer.text.slice(0, -1)}${TOO_LARGE}}`,
})

/**
 * Replaces a response with an error. Each error has its own request id, because a repeated id would look like a cached
 * response.
 */
export const failing = (status: number, code: string) => (_: Asked, answer: Answer) => ({
  ...answer,
  status,
  text: `{"request_id":"${/"request_id":"([^"]*)"/.exec(answer.text)?.[1]}","error":{"code":"${code}","message":"${code}."}}`,
})

export function withData(answer: Answer, change: (data: never) => unknown): Answer {
  if (answer.status !== 200) return answer
  const { data, ...rest } = parseJson(answer.text) as { data: never }
  return { ...answer, text: stringifyJson({ ...rest, data: change(data) }) }
}

export interface List {
  readonly items: readonly Readonly<Record<string, unknown>>[]
  readonly total: number
  readonly has_next_page: boolean
  readonly search_after_ctx?: string
}
export const isList = ({ operation }: Asked) => operation === 'incident/list'
export const rowsOf = (answer: Answer) => answer.text.split('"incident_id"').length - 1

export const html = (answer: Answer, status: number): Answer => ({
  status,
  headers: { ...answer.headers, 'content-type': 'text/html' },
  text: `<html><body>Error ${status}</body></html>`,
})

/** A search ends at this row, although more rows follow. */
const CAP = 1_000

export function cappedSearch(): Pick<Twist, 'answer'> {
  /** The number of rows that precede each cursor of a search. */
  const before = new Map<string, number>()
  const keyOf = ({ search_after_ctx: _, ...search }: Asked['body'], cursor: unknown) =>
    `${stringifyJson(search)} ${cursor}`
  return {
    answer: (asked, own) =>
      isList(asked)
        ? withData(own, ({ items, total, has_next_page, search_after_ctx: next }: List) => {
            const rows = before.get(keyOf(asked.body, asked.body.search_after_ctx)) ?? 0
            if (rows + items.length >= CAP)
              return { items: items.slice(0, CAP - rows), total: CAP, has_next_page: false }
            if (next !== undefined) before.set(keyOf(asked.body, next), rows + items.length)
            return { items, total, has_next_page, ...(next === undefined ? {} : { search_after_ctx: next }) }
          })
        : undefined,
  }
}

/** Serves half of the lists from a second service, whose clock and records are days old. */
export async function answersOfDaysAgo(
  company: Company,
  { whole, is }: Chance,
  seed: number,
): Promise<Twist | undefined> {
  const past = company.asOf(company.now - whole(2, 5) * DAY)
  if (past === undefined) return undefined
  const old = await startSandbox({ seed, now: past.now, limits: false }, () => past.world())
  // The first responses are current, so that the program can notice that later ones are old.
  return {
    port: (asked) => (isList(asked) && asked.count > 6 && is(0.5) ? old.port : undefined),
    close: old.close,
  }
}
