import { z } from 'zod'
import { int64, uint64 } from './int64.ts'
import { TEAM_IDS_MAX } from './limits.ts'
import { operation } from './operation.ts'
import { needed } from './tolerant.ts'

/** A team and its members. */
export const team = z.looseObject({
  team_id: needed(int64),
  team_name: needed(z.string()),
  person_ids: z.array(int64),
})
export type Team = z.infer<typeof team>

/** Operations under /team. */
export const teamOperations = [
  operation('team/infos', {
    summary: 'Read many teams by id.',
    request: z.object({ team_ids: z.array(uint64).max(TEAM_IDS_MAX).describe('The teams.') }),
    response: z.looseObject({ items: needed(z.array(team)) }),
  }),
] as const
