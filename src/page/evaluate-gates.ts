import { cell, valueNow } from '../judge/figure-values.ts'
import { numberOf } from '../render/format.ts'
import type { Gate, QueryResult, Value } from '../render/result.ts'
import { inlineText } from '../render/text.ts'
import type { Operator } from '../report/parse/condition.ts'
import type { GateRule } from '../report/parse/parse.ts'
import { type ResolveContext, resolveText } from './draw-text.ts'
import { gateText } from './sentences/quality-sentences.ts'

/** @throws ReportError if a limit or a message needs a single figure but there are several */
export function judgeGates(rules: readonly GateRule[], known: ResolveContext): Gate[] {
  return rules.map((rule) => {
    const offenders = offendersOf(rule, known)
    const message = inlineText(resolveText(rule.message, known))
    return {
      name: rule.name,
      origin: 'report',
      state: offenders.length > 0 ? rule.level : 'ok',
      message: message || gateText(rule, offenders, known.context),
    }
  })
}

/** Returns the values that meet the condition. For a condition on rows, returns their number. */
function offendersOf({ condition, at }: GateRule, known: ResolveContext): Value[] {
  const result = known.results.get(condition.query)!
  if (condition.kind !== 'compare') {
    const count = result.rows.length
    return count > 0 === (condition.kind === 'has rows') ? [count] : []
  }
  const limit =
    condition.limit.kind === 'column' ? valueNow(known, condition.limit, at) : condition.limit.value
  return rowsNow(result)
    .map((row) => cell(result, row, condition.column))
    .filter((value) => compares(value, condition.operator, limit))
}

function rowsNow(result: QueryResult): QueryResult['rows'] {
  const period = result.columns.findIndex(({ name }) => name === 'period')
  return period < 0 ? result.rows : result.rows.filter((row) => row[period] === 'current')
}

/** A missing value meets no condition. */
function compares(value: Value, operator: Operator, limit: Value): boolean {
  const order = orderOf(value, limit)
  if (order === null) return false
  if (operator === '=') return order === 0
  if (operator === '!=') return order !== 0
  if (order === 0) return operator === '>=' || operator === '<='
  return order > 0 === operator.startsWith('>')
}

function orderOf(value: Value, limit: Value): number | null {
  const [a, b] = [numberOf(value), numberOf(limit)]
  if (a !== null && b !== null) return a - b
  if (value instanceof Date && limit instanceof Date) return value.getTime() - limit.getTime()
  if (typeof value !== 'string' || typeof limit !== 'string') return null
  return value < limit ? -1 : value > limit ? 1 : 0
}
