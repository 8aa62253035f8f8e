import { costsOf, isUndisturbed, type Judge, type Ran } from '../judge.ts'

/**
 * An unreadable record must affect only itself. If nothing else goes wrong, the sync reads and publishes everything
 * else.
 */
export function reads(): Judge {
  return {
    name: 'reads',
    promise: 'what cannot be read costs only itself',
    async look({ last, history }) {
      const isOdd = last.refused.size > 0 || costsOf(last).length > 0 || last.plan.isHeldOpen
      if (!isOdd || !isUndisturbed(last) || costsOf(last).includes('the night')) return []
      const allowed = mayBePartial(last, history.at(-2)) ? ['ok', 'partial'] : ['ok']
      if (allowed.includes(last.status)) return []
      const odd = [
        ...Object.keys(last.plan.odd ?? {}),
        ...(last.plan.isHeldOpen ? ['held open'] : []),
        ...last.refused,
      ]
      return [
        `${last.status} for no other reason than ${odd.join(', ')}: ${last.words.map(({ message }) => message).join('; ')}`,
      ]
    },
  }
}

/**
 * Whether the sync may be partial: an abnormal response costs data, the company’s data changed during the sync, or the
 * previous sync was not successful.
 */
function mayBePartial(last: Ran, before: Ran | undefined): boolean {
  const isCostly = costsOf(last).some((cost) => cost !== 'nothing')
  return isCostly || last.plan.meanwhile !== undefined || before?.status !== 'ok'
}
