import { ConfigError, unknownName } from './errors.ts'

const isText = (value: unknown) => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const KINDS = {
  required: ['a non-empty string', (value) => isText(value) && value.trim() !== ''],
  text: ['a string', isText],
  number: ['a number', (value) => typeof value === 'number' && !Number.isNaN(value)],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  date: ['a Date', (value) => value instanceof Date && !Number.isNaN(value.getTime())],
  list: ['a list of strings', isTexts],
  objects: ['a list of objects', (value) => Array.isArray(value) && value.every(isObject)],
  names: ['a string or a list of strings', (value) => isText(value) || isTexts(value)],
  object: ['an object', isObject],
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
  function: ['a function', (value) => typeof value === 'function'],
} satisfies Record<string, readonly [words: string, fits: (value: unknown) => boolean]>

/** Maps the name of each option to the kind of its value. The compiler reports an option that is missing. */
export type Expected<Options = Record<string, unknown>> = Readonly<
  Record<keyof Options & string, keyof typeof KINDS>
>

/** Checks options at run time, because callers might use JavaScript or type casts. @throws ConfigError */
export function checkOptions(of: string, options: unknown, expected: Expected): void {
  if (!isObject(options)) throw new ConfigError(`${of}: options must be an object.`)
  const given = options as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(expected, name)) continue
    const next = unknownName(name, Object.keys(expected))
    throw new ConfigError(`${of}: unknown option "${name}".`, { next })
  }
  for (const [name, kind] of Object.entries(expected)) {
    const value = given[name]
    const [words, fits] = KINDS[kind]
    if (value === undefined ? kind === 'required' : !fits(value))
      throw new ConfigError(`${of}: \`${name}\` must be ${words}.`, { next: `Received: ${shown(value)}.` })
  }
}

/** Describes a value without showing it, because it could be a secret. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (value === '') return 'an empty string'
  if (value instanceof Date) return 'an invalid date'
  return `a value of type ${Array.isArray(value) ? 'list' : typeof value}`
}
