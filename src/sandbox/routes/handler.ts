import type { OperationName, RequestOf, ResponseOf } from '../../contract/index.ts'
import type { Member } from '../../contract/organization.ts'
import type { Clock } from '../clock.ts'
import type { Page } from '../responses.ts'
import type { World } from '../store/world.ts'

export interface Call {
  readonly world: World
  readonly clock: Clock
  readonly caller: Member
  readonly seed: number
}

type Data<Name extends OperationName> = Name extends 'incident/list' ? Page : ResponseOf<Name>

/**
 * Handles one operation. Returns data, or a function that makes a change once the request is journaled. A handler uses
 * only its arguments, so that a replay of the journal leads to the same state.
 */
export type Handler<Name extends OperationName> = (
  request: RequestOf<Name>,
  call: Call,
) => Data<Name> | (() => Data<Name>)

export type Handlers<Segment extends string> = {
  readonly [Name in Extract<OperationName, `${Segment}/${string}`>]: Handler<Name>
}
