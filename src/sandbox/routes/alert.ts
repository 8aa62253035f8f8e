import { notFound } from '../answer.ts'
import type { Handlers } from './handler.ts'

/** Handlers of the operations under /alert. */
export const alertHandlers: Handlers<'alert'> = {
  'alert/info'({ alert_id }, { world }) {
    const alert = world.alert(alert_id.toLowerCase())
    if (alert === undefined) throw notFound(`alert ${alert_id}`)
    return alert
  },
}
