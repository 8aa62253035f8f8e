import { basename } from 'node:path'
import { hasPassword, isLake } from '../settings/lake.ts'
import { type Overrides, readSources, type Sources, VARIABLES } from './config.ts'
import { configJsonSchema, configSchema } from './config-file.ts'

interface Setting {
  readonly field: string
  /** The value as written, or the default. Secrets are masked. */
  readonly value: unknown
  /** Where the value was set: `default`, `config.json:7`, `--warehouse` or `FAULTLINE_WAREHOUSE in .env`. */
  readonly from: string
}

const HIDDEN = '(set, not shown)'

/** Returns all fields that have a value, in the order of the schema. @throws ConfigError */
export function effectiveSettings(overrides: Overrides = {}, environment = process.env): Setting[] {
  const sources = readSources(overrides, environment)
  const settings = new Map(fieldsOf(configJsonSchema(), sources).map((one) => [one.field, one]))
  const accounts = sources.file?.data.accounts ?? []
  const keys = accounts.flatMap(({ name, appKeyEnv }) =>
    appKeyEnv ? [[appKeyEnv, { field: `appKey of ${name}`, isSecret: true }] as const] : [],
  )
  for (const [name, { field, isSecret }] of [...Object.entries(VARIABLES), ...keys]) {
    const found = sources.variable(name)
    if (!found) continue
    settings.set(field, { field, value: isSecret ? HIDDEN : shown(found.value, field), from: found.from })
  }
  for (const [option, field] of [
    ['--base-url', 'baseUrl'],
    ['--warehouse', 'warehouse'],
  ] as const) {
    const value = overrides[field]
    if (value !== undefined) settings.set(field, { field, value: shown(value, field), from: option })
  }
  return [...settings.values()]
}

interface Field {
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Field>>
  readonly additionalProperties?: Field | boolean
}

function fieldsOf(fields: Field, sources: Sources, path: readonly string[] = []): Setting[] {
  return Object.entries(partsOf(fields, valueAt(sources.file?.written, path))).flatMap(([name, field]) => {
    const here = [...path, name]
    const isWhole = Object.keys(partsOf(field, valueAt(sources.file?.written, here))).length === 0
    return isWhole ? settingAt(here, sources, field.default) : fieldsOf(field, sources, here)
  })
}

/** Returns the fields inside a field. For `targets.teams` and similar fields, returns the keys that the user wrote. */
function partsOf({ properties, additionalProperties: one }: Field, written: unknown) {
  if (properties) return properties
  const isParted = typeof one === 'object' && (one.properties ?? one.additionalProperties) !== undefined
  return isParted ? Object.fromEntries(Object.keys(written ?? {}).map((name) => [name, one])) : {}
}

function settingAt(here: readonly string[], sources: Sources, preset?: unknown): Setting[] {
  const { file } = sources
  const field = here.join('.')
  const written = valueAt(file?.written, here)
  const isTarget = written === undefined && here[1] === 'targets' && here.length > 3
  if (isTarget && here.length > 4) {
    // A target for a team or dimension value inherits missing values from the target for the severity.
    const general = ['reporting', 'targets', ...here.slice(-2)]
    const from = `${general.join('.')}, `
    return settingAt(general, sources).map((held) => ({ ...held, field, from: from + held.from }))
  }
  if (isTarget && valueAt(file?.written, ['reporting', 'targets', 'defaults']) === false) return []
  // The JSON Schema does not contain computed defaults, such as a duration in seconds.
  const value = written === undefined ? (preset ?? valueAt(defaults, here)) : written
  const name = here.at(-1)!
  if (value === undefined || name === '$schema') return []
  const from = written === undefined ? 'default' : `${basename(sources.path)}:${file?.lineOf(here)}`
  return [{ field, value: shown(value, name), from }]
}

const defaults = configSchema.parse({})

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], root)
}

/** Hides possible secrets: passwords in addresses, and the path of a webhook address. */
function shown(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => shown(one, name))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one, key)]))
  }
  if (typeof value !== 'string' || !URL.canParse(value)) return value
  if (isLake(value)) return hasPassword(value) ? HIDDEN : value
  const { protocol, host, username, password } = new URL(value)
  const isSecret = username !== '' || password !== '' || name === 'url'
  return isSecret && host !== '' ? `${protocol}//${host}/…` : value
}
