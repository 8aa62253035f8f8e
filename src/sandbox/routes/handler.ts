import type { OperationName, RequestOf, ResponseOf } from '../../contract/index.ts'
import type { Page } from '../answer.ts'
import type { Call } from '../sandbox.ts'

/** `data` of an answer; the list writes its items itself. */
type Data<Name extends OperationName> = Name extends 'incident/list' ? Page : ResponseOf<Name>

/**
 * Answers one operation. A reading one returns its data. A writing one checks everything first, throwing a Refusal
 * with nothing changed, and returns the change as a function: it runs after the journal holds the request. Handlers
 * look only at the request, the call and the world, so that a replayed journal leads to the same state.
 */
export type Handler<Name extends OperationName> = (
  request: RequestOf<Name>,
  call: Call,
) => Data<Name> | (() => Data<Name>)

/** The handlers of all operations whose path begins with a segment. */
export type Handlers<Segment extends string> = {
  readonly [Name in Extract<OperationName, `${Segment}/${string}`>]: Handler<Name>
}
