import type { OperationName } from '../../contract/index.ts'
import { alertHandlers } from './alert.ts'
import { calendarHandlers } from './calendar.ts'
import { channelHandlers } from './channel.ts'
import type { Handler } from './handler.ts'
import { incidentHandlers } from './incident.ts'
import { memberHandlers } from './member.ts'
import { monitHandlers } from './monit.ts'
import { roleHandlers } from './role.ts'
import { scheduleHandlers } from './schedule.ts'
import { teamHandlers } from './team.ts'
import { templateHandlers } from './template.ts'

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
