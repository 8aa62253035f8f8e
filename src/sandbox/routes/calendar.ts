import { createHash } from 'node:crypto'
import { CALENDAR_ZONE_DEFAULT, CALENDARS_MAX } from '../../contract/assumptions.ts'
import { notFound, Refusal } from '../answer.ts'
import type { Handlers } from './handler.ts'

/** Handlers of the operations under /calendar. */
export const calendarHandlers: Handlers<'calendar'> = {
  'calendar/create'(request, { world: { account }, seed, clock, caller }) {
    const teamId = request.team_id ?? 0
    if (teamId !== 0 && !account.teams.has(teamId)) throw notFound(`team ${teamId}`)
    for (const id of request.extra_cal_ids ?? []) {
      if (account.calendars.get(id)?.kind !== 'holiday') throw notFound(`public holiday calendar ${id}`)
    }
    const personal = [...account.calendars.values()].filter((calendar) => calendar.kind === 'personal')
    if (personal.length >= CALENDARS_MAX) {
      throw new Refusal('InvalidParameter', `The account already has ${CALENDARS_MAX} personal calendars.`)
    }
    const cal_id = calendarId(seed, account.calendars.size)
    return () => {
      account.calendars.set(cal_id, {
        cal_id,
        cal_name: request.cal_name,
        kind: 'personal',
        description: request.description ?? '',
        timezone: request.timezone || CALENDAR_ZONE_DEFAULT,
        team_id: teamId,
        workdays: request.workdays ?? [],
        extra_cal_ids: request.extra_cal_ids ?? [],
        creator_id: caller.member_id,
        created_at: clock.now(),
      })
      return { cal_id, cal_name: request.cal_name }
    }
  },
}

/** `cal.` and 22 characters. */
function calendarId(seed: number, number: number): string {
  return `cal.${createHash('sha256').update(`${seed}:calendar:${number}`).digest('base64url').slice(0, 22)}`
}
