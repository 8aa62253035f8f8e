import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { localTime } from '../render/format.ts'
import { hashOf, jsonEqual } from './receipt.ts'
import type { Answer, Call } from './tool.ts'
import { receiptTools } from './tools/index.ts'

/** The fields that every receipt has. */
const receiptSchema = z.looseObject({
  tool: z.string(),
  asked: z.looseObject({}),
  as_of: z.iso.datetime().nullable(),
  definition: z.string(),
  version: z.string(),
  hash: z.string(),
})

/** Fields that identify the data, the definitions and the version behind a receipt. */
const STATE = ['as_of', 'definition', 'version'] as const
/** Fields with explanations. They are not compared if the data, the definitions or the version have changed. */
const WORDS = ['coverage', 'notes', 'lead', 'gates', 'rule', 'sql']

export interface Verified {
  readonly holds: boolean
  readonly lines: readonly string[]
}

/** A period such as `last month` counts back from the receipt’s date. @throws ConfigError for an invalid receipt */
export async function verify(text: string, call: Call): Promise<Verified> {
  const receipt = receiptIn(text)
  const { tool: name, asked, as_of: asOf } = receipt
  if (hashOf(receipt) !== receipt.hash)
    return { holds: false, lines: ['The receipt was changed: its content does not match its hash.'] }
  const tool = receiptTools().get(name)
  if (!tool) throw noReceipt(`no tool "${name}" returns one`)
  const given = tool.input.safeParse(asked)
  if (!given.success) throw noReceipt('its parameters are invalid')
  const timezone = typeof asked.timezone === 'string' ? asked.timezone : 'UTC'
  const seenFrom = asOf === null ? undefined : localTime(new Date(asOf), timezone).slice(0, 10)
  const now = await tool.answer({ ...call, seenFrom }, given.data)
  return compared(receipt, JSON.parse(JSON.stringify(now)) as Answer)
}

type Receipt = z.output<typeof receiptSchema>

function receiptIn(text: string): Receipt {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')]
  let read: unknown
  try {
    read = JSON.parse(text.slice(Math.max(0, from), to + 1))
  } catch {
    throw noReceipt('it is not JSON')
  }
  const receipt = receiptSchema.safeParse(read)
  if (receipt.success) return receipt.data
  throw noReceipt(`\`${receipt.error.issues[0]?.path.join('.')}\` is missing or has the wrong type`)
}

function noReceipt(reason: string): ConfigError {
  return new ConfigError(`Invalid receipt: ${reason}.`, {
    next: 'A receipt is the complete answer of `figure`, `compare` or `report`.',
  })
}

function compared(receipt: Receipt, now: Answer): Verified {
  const isSameState = STATE.every((key) => receipt[key] === now[key])
  const keys = [...new Set([...Object.keys(receipt), ...Object.keys(now)])]
  const left = isSameState ? [] : WORDS.filter((key) => keys.includes(key))
  const apart: readonly string[] = ['asked', 'hash', ...STATE, ...left]
  const other = keys.filter((key) => !apart.includes(key) && !jsonEqual(receipt[key], now[key]))
  const holds = other.length === 0
  const what = holds && !isSameState ? 'The figures match' : 'The receipt matches'
  return {
    holds,
    lines: [
      `${holds ? what : 'The receipt does not match'}: ${said(now)}.`,
      ...other.map((key) => `  ${key}: ${short(receipt[key])}, now ${short(now[key])}`),
      ...(left.length > 0
        ? [`  Not compared, because the data or the definitions have changed: ${left.join(', ')}.`]
        : []),
      ...(receipt.as_of === now.as_of ? [] : [`  New data: as of ${receipt.as_of}, now ${now.as_of}.`]),
      ...(receipt.definition === now.definition
        ? []
        : ['  Definitions, settings or the report have changed.']),
      ...(receipt.version === now.version
        ? []
        : [`  Created by version ${receipt.version}, recomputed by ${now.version}.`]),
    ],
  }
}

function said({ label, figure, title, tool }: Answer): string {
  return figure === undefined ? String(title ?? tool) : `${label} ${figure}`
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`
}
