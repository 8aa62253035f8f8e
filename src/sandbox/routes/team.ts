import type { Handlers } from './handler.ts'

/** Handlers of the operations under /team. */
export const teamHandlers: Handlers<'team'> = {
  'team/infos'({ team_ids }, { world }) {
    // Unknown ids are left out, a repeated one is given once.
    const items = [...new Set(team_ids)].flatMap((id) => world.account.teams.get(id) ?? [])
    return { items }
  },
}
