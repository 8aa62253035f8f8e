import { loadConfig } from '../config/config.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Comparison } from '../judge/event-verdict.ts'
import { compareEvents } from '../page/compare-events.ts'
import { besideWords, eventFigure, eventScope, measureNames } from '../page/sentences/event-sentences.ts'
import { contextOf, format as formatted, plain } from '../render/format.ts'
import { cleanForTerminal, escapeActing } from '../render/sanitize-text.ts'
import { toCsv } from '../render/to-csv.ts'
import { compareSql } from '../report/parse/block-source.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { openReader } from '../warehouse/read/reader.ts'
import type { Flags, Texts } from './command.ts'
import type { Context } from './context.ts'
import { textTable } from './text-table.ts'

interface CompareOptions extends Texts<'event'>, Flags<'json'> {
  readonly format?: 'text' | 'csv' | 'json' | undefined
}

/** Prints the comparison for one event, or for every event. @throws ConfigError if the event does not exist */
export async function printComparison(
  { console, overrides, signal }: Context,
  { event, format, json }: CompareOptions,
): Promise<number> {
  const { warehouse, reporting, settings } = loadConfig(overrides)
  const reader = await openReader(await resolveStorage(warehouse), {
    memoryLimit: reporting.memoryLimit,
    settings,
    signal,
  })
  console.warn(reader.notice)
  try {
    const found = await compareEvents(reader, event)
    if (json || format === 'json') console.out(escapeActing(stringifyJson(found)))
    else if (format === 'csv') await console.write(toCsv((await reader.query(compareSql(event))) as never))
    else console.out(found.flatMap(linesOf).join('\n').trimEnd())
    return 0
  } finally {
    reader.close()
  }
}

function linesOf(comparison: Comparison): string[] {
  const context = contextOf({ timezone: 'UTC', asOf: comparison.day })
  const { event, day, changes } = comparison
  const date = plain(formatted(day, 'date', { ...context, year: '' }))
  const isControlled = changes.some(({ others }) => others !== null)
  const head = ['', 'before', 'since', ...(isControlled ? ['others before', 'since'] : [])]
  const rows = changes.map((change) => {
    const { measure, before, value, others } = change
    const values = [before, value, ...(isControlled ? [others?.before ?? null, others?.value ?? null] : [])]
    return [measureNames[measure], ...values.map((one) => eventFigure(change, one, context))]
  })
  const table = textTable([head, ...rows], [false, true, true, true, true])
  const said = changes.map(({ measure, sentence }) => `${measureNames[measure]}: ${sentence}`)
  const beside = [besideWords(comparison)].filter(Boolean)
  const title = [`${event}, ${date}`, `${eventScope(comparison)}.`, '']
  return [...title, ...table, '', ...said, ...beside, ''].map(cleanForTerminal)
}
