import type { OperationName } from '../../contract/index.ts'
import { channelHandlers } from './channel.ts'
import type { Handler } from './handler.ts'
import { incidentHandlers } from './incident.ts'
import { monitHandlers } from './monit.ts'
import { alertHandlers, calendarHandlers, scheduleHandlers, templateHandlers } from './on-call.ts'
import { memberHandlers, roleHandlers, teamHandlers } from './organization.ts'

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
