import type { JsonSchema } from '../contract/openapi-schema.ts'
import { suggestion } from '../suggest.ts'

/** A field of a request that its operation does not have; `next` names the one that may be meant. */
export interface UnknownField {
  readonly name: string
  readonly next: string | undefined
}

/** The fields of a request that its schema does not name. What lies inside of a field is passed on as it is. */
export function unknownFields({ properties = {} }: JsonSchema, request: unknown): UnknownField[] {
  return Object.keys(request ?? {})
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => ({ name, next: suggestion(name, Object.keys(properties)) }))
}
