import type { OperationName, RequestOf, ResponseOf } from '../../contract/index.ts'
import type { Page } from '../answer.ts'
import type { Call } from '../sandbox.ts'
import { alertHandlers } from './alert.ts'
import { calendarHandlers } from './calendar.ts'
import { channelHandlers } from './channel.ts'
import { incidentHandlers } from './incident.ts'
import { memberHandlers } from './member.ts'
import { monitHandlers } from './monit.ts'
import { roleHandlers } from './role.ts'
import { scheduleHandlers } from './schedule.ts'
import { teamHandlers } from './team.ts'
import { templateHandlers } from './template.ts'

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

/** One handler for each operation of the contract; a missing one does not compile. */
export const handlers: { readonly [Name in OperationName]: Handler<Name> } = {
  ...incidentHandlers,
  ...alertHandlers,
  ...channelHandlers,
  ...scheduleHandlers,
  ...calendarHandlers,
  ...templateHandlers,
  ...monitHandlers,
  ...roleHandlers,
  ...memberHandlers,
  ...teamHandlers,
}
