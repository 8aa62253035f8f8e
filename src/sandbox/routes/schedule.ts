import type { Handlers } from './handler.ts'

/** Handlers of the operations under /schedule. */
export const scheduleHandlers: Handlers<'schedule'> = {
  'schedule/infos'({ schedule_ids }, { world }) {
    // Unknown ids are left out, a repeated one is given once.
    const items = [...new Set(schedule_ids)].flatMap((id) => world.account.schedules.get(id) ?? [])
    return { items }
  },
}
