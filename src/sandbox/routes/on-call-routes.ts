import { createHash } from 'node:crypto'
import { CALENDAR_ZONE_DEFAULT, CALENDARS_MAX, PRESET_TEMPLATE_ID } from '../../contract/assumptions.ts'
import { notFound, Refusal } from '../responses.ts'
import type { Handlers } from './handler.ts'

export const onCallHandlers: Handlers<'alert' | 'schedule' | 'calendar' | 'template'> = {
  'alert/info'({ alert_id }, { world }) {
    const alert = world.alert(alert_id.toLowerCase())
    if (alert === undefined) throw notFound(`alert ${alert_id}`)
    return alert
  },

  'schedule/infos'({ schedule_ids }, { world }) {
    // Unknown ids are omitted, and a repeated id is returned once.
    const items = [...new Set(schedule_ids)].flatMap((id) => world.account.schedules.get(id) ?? [])
    return { items }
  },

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

  'template/delete'({ template_id }, { world: { account }, clock }) {
    if (template_id === PRESET_TEMPLATE_ID) {
      throw new Refusal('AccessDenied', 'Access Denied. The system preset template cannot be deleted.')
    }
    const template = account.templates.get(template_id.toLowerCase())
    if (template === undefined || template.deleted_at !== 0) throw notFound(`template ${template_id}`)
    const [reference] = template.references
    if (reference !== undefined) {
      throw new Refusal('ReferenceExist', `The template is still referenced by ${reference}.`)
    }
    return () => {
      template.deleted_at = clock.now()
      return {}
    }
  },
}

function calendarId(seed: number, number: number): string {
  return `cal.${createHash('sha256').update(`${seed}:calendar:${number}`).digest('base64url').slice(0, 22)}`
}
