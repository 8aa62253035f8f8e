import { ConfigError, unknownName } from '../errors.ts'
import type { Facet } from './facets.ts'

/** The selected incidents and the view options, as encoded in the URL. */
export interface Filter {
  /** Selected values by facet name. For each of these facets, an incident must have one of the values. */
  readonly chosen: ReadonlyMap<string, readonly string[]>
  /** Account id and person id, as `ACCOUNT.PERSON`. Null for everybody. */
  readonly person: string | null
  /** A period as users write it, or `EVER`, or `SHIFT`. */
  readonly period: string
  /** Text that titles must contain. An empty text matches all titles. */
  readonly title: string
  /** The facet by which the incidents are broken down. */
  readonly by: string
  readonly page: number
  /** Name of the facet, or `person`, for which the page shows all values instead of only the first ones. */
  readonly all: string | null
}

/** The period that includes all incidents. */
export const EVER = 'all'
/** The period since the last handover. */
export const SHIFT = 'shift'
/** The filter for the address `/explore` without parameters. */
export const NOTHING: Filter = {
  chosen: new Map(),
  person: null,
  period: '13 weeks to now',
  title: '',
  by: 'team',
  page: 1,
  all: null,
}

const LONGEST = 300
const VALUES_MOST = 50
const PAGES_MOST = 1_000_000

/** @throws ConfigError if a parameter is unknown or invalid */
export function filterOf(parameters: URLSearchParams, facets: readonly Facet[]): Filter {
  const names = facets.map(({ name }) => name)
  const single = ['person', 'period', 'title', 'by', 'page', 'all']
  for (const [name, value] of parameters) checkWord(name, value, [...names, ...single])
  const one = (name: string) => {
    const values = parameters.getAll(name)
    if (values.length > 1) throw wrong(`\`${name}\` appears ${values.length} times.`, 'Keep one of them.')
    return values[0]?.trim() || null
  }
  const filter = {
    chosen: new Map(names.flatMap((name) => chosenOf(name, parameters.getAll(name)))),
    person: personOf(one('person')),
    period: one('period') ?? NOTHING.period,
    title: one('title') ?? '',
    by: known('by', one('by') ?? NOTHING.by, names),
    page: pageOf(one('page') ?? '1'),
    all: one('all'),
  }
  if (filter.all !== null) known('all', filter.all, [...names, 'person'])
  return filter
}

function checkWord(name: string, value: string, names: readonly string[]): void {
  if (!names.includes(name)) {
    const shown = name.slice(0, 40).replace(/\p{C}/gu, '\ufffd')
    throw wrong(`Unknown filter \`${shown}\`.`, unknownName(shown, names))
  }
  if (value.length > LONGEST)
    throw wrong(
      `\`${name}\` is too long (${value.length} characters).`,
      `At most ${LONGEST} characters are allowed.`,
    )
  if (/[\p{Cc}\p{Cs}]/u.test(value))
    throw wrong(`\`${name}\` contains an unprintable character.`, 'Remove it.')
}

function chosenOf(name: string, given: readonly string[]): [string, readonly string[]][] {
  const values = [...new Set(given)]
  if (values.length > VALUES_MOST)
    throw wrong(`\`${name}\` appears ${values.length} times.`, `At most ${VALUES_MOST} are allowed.`)
  if (values.includes('')) throw wrong(`\`${name}\` is empty.`, 'Set a value or remove it.')
  return values.length > 0 ? [[name, values]] : []
}

function personOf(text: string | null): string | null {
  if (text === null || /^\d{1,18}\.\d{1,18}$/.test(text)) return text
  throw wrong('`person` is not a valid person id.', 'Use a link from the People list.')
}

function pageOf(text: string): number {
  const page = Number(text)
  if (/^[1-9]\d*$/.test(text) && page <= PAGES_MOST) return page
  throw wrong('Invalid `page`.', 'Pages start at 1.')
}

function known<Name extends string>(what: string, name: string, names: readonly Name[]): Name {
  const found = names.find((each) => each === name)
  if (found !== undefined) return found
  throw wrong(`Unknown value "${name}" of \`${what}\`.`, unknownName(name, names))
}

function wrong(message: string, next: string): ConfigError {
  return new ConfigError(message, { next })
}

/** Omits parameters that have their default value. */
export function addressOf(filter: Filter, path = '/explore'): string {
  const parameters = new URLSearchParams(parametersOf(filter))
  return parameters.size === 0 ? path : `${path}?${parameters}`
}

export function parametersOf(filter: Filter): [name: string, value: string][] {
  const chosen = [...filter.chosen].flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const single = (['person', 'period', 'title', 'by', 'all', 'page'] as const)
    .filter((name) => filter[name] !== NOTHING[name])
    .map((name): [string, string] => [name, String(filter[name])])
  return [...chosen, ...single]
}

/** Adds a value, or removes it if it was selected. The new filter shows the first page. */
export function toggled(filter: Filter, name: string, value: string): Filter {
  const before = filter.chosen.get(name) ?? []
  const values = before.includes(value) ? before.filter((one) => one !== value) : [...before, value]
  const chosen = new Map([...filter.chosen, [name, values]])
  if (values.length === 0) chosen.delete(name)
  return { ...filter, chosen, page: 1 }
}
