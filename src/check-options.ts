import { ConfigError, unknownName } from './errors.ts'

/** Expected type of an option. `required` means a non-empty string. */
type Kind =
  | 'required'
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'list'
  | 'objects'
  | 'names'
  | 'object'
  | 'signal'
  | 'function'

/** Expected type of each option of `Options`. A missing option is a type error. */
export type Expected<Options = Record<string, unknown>> = Readonly<Record<keyof Options & string, Kind>>

const isText = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const KINDS: Readonly<Record<Kind, readonly [words: string, fits: (value: unknown) => boolean]>> = {
  required: ['a non-empty string', (value) => isText(value) && value.trim() !== ''],
  text: ['a string', isText],
  number: ['a number', (value) => typeof value === 'number' && !Number.isNaN(value)],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  date: ['a Date', (value) => value instanceof Date && !Number.isNaN(value.getTime())],
  list: ['a list of strings', (value) => Array.isArray(value) && value.every(isText)],
  objects: ['a list of objects', (value) => Array.isArray(value) && value.every(isObject)],
  names: [
    'a string or a list of strings',
    (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  ],
  object: ['an object', isObject],
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
  function: ['a function', (value) => typeof value === 'function'],
}

/** Checks options at run time, because callers might use JavaScript or casts. @throws ConfigError naming the option */
export function checkOptions(of: string, options: unknown, expected: Expected): void {
  if (!isObject(options)) throw new ConfigError(`${of}: options must be an object.`)
  const given = options as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(expected, name)) continue
    throw new ConfigError(`${of}: unknown option "${name}".`, {
      next: unknownName(name, Object.keys(expected)),
    })
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
  if (value === undefined) return 'undefined'
  if (value === '') return 'an empty string'
  if (value === null) return 'null'
  if (value instanceof Date) return 'an invalid date'
  return `a value of type ${Array.isArray(value) ? 'list' : typeof value}`
}
