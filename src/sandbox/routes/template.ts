import { PRESET_TEMPLATE_ID } from '../../contract/assumptions.ts'
import { notFound, Refusal } from '../answer.ts'
import type { Handlers } from './handler.ts'

/** Handlers of the operations under /template. */
export const templateHandlers: Handlers<'template'> = {
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
