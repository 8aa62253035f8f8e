import { z } from 'zod'
import { nothing } from './envelope.ts'
import { hexId } from './fields.ts'
import { operation } from './operation.ts'

/** Operations under /template. */
export const templateOperations = [
  operation('template/delete', {
    summary: 'Delete a notification template that nothing refers to (soft).',
    permissions: ['template management (on-call)'],
    writes: true,
    request: z.object({ template_id: hexId.describe('The template. 24 hexadecimal characters.') }),
    response: nothing,
  }),
] as const
