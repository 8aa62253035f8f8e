import { z } from 'zod'

/** Marks a field as optional. Like the service, treats `null` as absent. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish()
}

export const hexId = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/, 'expected 24 hexadecimal characters')
  .meta({ description: '24 hexadecimal characters.', examples: ['6920567f3b1c9d0a4e5f6071'] })

/** Whether the number of characters (code points) in a text is within a range. */
export function isLong(value: string, min: number, max: number): boolean {
  const { length } = [...value]
  return length >= min && length <= max
}

/** A string whose length is counted in characters (code points), not in UTF-16 units. */
export function text(min: number, max: number) {
  return z
    .string()
    .refine((value) => isLong(value, min, max), `expected ${min} to ${max} characters`)
    .meta({ minLength: min, maxLength: max })
}

/** An IANA time zone name. An empty string means the service's default. */
export const zone = z
  .string()
  .refine((name) => name === '' || isZone(name), 'expected an IANA time zone name')
  .meta({ description: 'An IANA time zone name; empty means the default.' })

export function commaSeparated(words: readonly string[]) {
  const word = `(?:(?:${words.join('|')})\\s*)?`
  return z
    .string()
    .regex(new RegExp(`^\\s*${word}(?:,\\s*${word})*$`), `expected a list of ${words.join(', ')}`)
    .meta({ examples: [words.join(',')] })
}

export function splitList(list: string): string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

export function isZone(name: string): boolean {
  // The runtime also accepts offsets such as +08:00, but they are not IANA names, and DuckDB does not know them.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
