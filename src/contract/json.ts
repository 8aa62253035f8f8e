import { parse, stringify } from 'lossless-json'

/** A number token of 16 digits or more: the only ones that may not survive `JSON.parse`. */
const LONG_INTEGER = /(?:^|[:,[\s])-?\d{16}/

/**
 * Parses JSON without losing a digit: integers beyond 2^53 - 1 become bigint, every other number a number.
 * Almost every text has none and takes the engine's own parser.
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): unknown {
  return LONG_INTEGER.test(text) ? parse(text, undefined, { parseNumber, onDuplicateKey }) : JSON.parse(text)
}

function parseNumber(token: string): number | bigint {
  const number = Number(token)
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(token) ? number : BigInt(token)
}

/** The last one wins, as in the engine's own parser. */
function onDuplicateKey({ newValue }: { newValue: unknown }): unknown {
  return newValue
}

/** Writes JSON, indented by so many blanks if given; a bigint becomes an integer token with all its digits. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent) ?? 'null'
  } catch (error) {
    // Only a bigint brings us here; the engine's own writer is several times faster for everything else.
    if (!(error instanceof TypeError)) throw error
    return stringify(value, undefined, indent) ?? 'null'
  }
}
