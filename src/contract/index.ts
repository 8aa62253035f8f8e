import type { z } from 'zod'
import { alertOperations } from './alert.ts'
import { channelOperations } from './channel.ts'
import { incidentOperations } from './incident.ts'
import { monitOperations } from './monit.ts'
import { onCallOperations } from './on-call.ts'
import type { Operation } from './operation.ts'
import { organizationOperations } from './organization.ts'
import type { Tolerant } from './tolerant.ts'

export type { Int64 } from './int64.ts'
export { parseJson, stringifyJson } from './json.ts'
export { RATE_LIMITS } from './limits.ts'
export type { Operation } from './operation.ts'

const list = [
  ...incidentOperations,
  ...alertOperations,
  ...channelOperations,
  ...onCallOperations,
  ...monitOperations,
  ...organizationOperations,
] as const

type Listed = (typeof list)[number]

/** Name of an operation, which is its path without the first slash. */
export type OperationName = Listed['name']

type ByName = { readonly [Name in OperationName]: Extract<Listed, { name: Name }> }

export type RequestOf<Name extends OperationName> = z.input<ByName[Name]['request']>

export type ResponseOf<Name extends OperationName> = z.output<ByName[Name]['response']>

/** The type of `data` that the client accepts in a successful response: any field can be missing. */
export type ToleratedOf<Name extends OperationName> = Tolerant<ResponseOf<Name>>

export const operations = Object.fromEntries(list.map((one) => [one.name, one])) as unknown as ByName

/** All operations as a list, in the order of the API document. */
export const operationList: readonly Operation[] = list
