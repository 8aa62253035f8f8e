import { parseDuration } from '../../settings/duration.ts'

export type Limit =
  | { kind: 'number' | 'percent' | 'duration'; value: number }
  | { kind: 'text'; value: string }
  | { kind: 'column'; query: string; column: string }

const operators = ['>=', '<=', '!=', '>', '<', '='] as const
export type Operator = (typeof operators)[number]

/** A condition such as `late.share > 5 %`, `open_now has rows` or `weekly is empty`. */
export type Condition =
  | { kind: 'compare'; query: string; column: string; operator: Operator; limit: Limit }
  | { kind: 'has rows' | 'is empty'; query: string }

const column = /^([a-z]\w*)\.([a-z]\w*)$/i

/** Parses a condition without executing it. Returns an error message if the condition is invalid. */
export function parseCondition(text: string): Condition | string {
  const [, rows, which] = /^([a-z]\w*)\s+(has rows|is empty)$/i.exec(text.trim()) ?? []
  if (rows && which) return { kind: which.toLowerCase() as 'has rows' | 'is empty', query: rows }
  const [, left = '', sign, right = ''] = /^(.*?)\s*(>=|<=|!=|>|<|=)\s*(.*)$/.exec(text.trim()) ?? []
  const [, query, name] = column.exec(left) ?? []
  const operator = operators.find((each) => each === sign)
  if (!query || !name || !operator) {
    return 'expected query.column > 5 %, query has rows, or query is empty'
  }
  const limit = parseLimit(right)
  if (!limit) return `"${right}" is not a valid limit: expected a number, 5 %, 15m, 'text' or query.column`
  return { kind: 'compare', query, column: name, operator, limit }
}

function parseLimit(text: string): Limit | undefined {
  if (/^-?\d+(\.\d+)?$/.test(text)) return { kind: 'number', value: Number(text) }
  const [, percent] = /^(-?\d+(?:\.\d+)?)\s*%$/.exec(text) ?? []
  if (percent) return { kind: 'percent', value: Number(percent) / 100 }
  const [, , quoted] = /^(["'])(.*)\1$/.exec(text) ?? []
  if (quoted !== undefined) return { kind: 'text', value: quoted }
  const [, query, name] = column.exec(text) ?? []
  if (query && name) return { kind: 'column', query, column: name }
  const seconds = parseDuration(text)
  return seconds === undefined ? undefined : { kind: 'duration', value: seconds }
}
