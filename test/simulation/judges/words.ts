import type { Judge } from '../judge.ts'

export function words(): Judge {
  return {
    name: 'words',
    promise: 'every failure says what to do, and none shows the inside of the program',
    async look({ last, secrets }) {
      const isRed = ['partial', 'failed', 'refused'].includes(last.status)
      if (!isRed) return []
      if (last.words.length === 0) return [`a sync ended ${last.status} without a word`]
      return last.words.flatMap(({ message, next }) => [
        ...(message.trim() === '' ? ['an empty sentence'] : []),
        ...(next === undefined || next.trim() === '' ? [`nothing to do after: ${message}`] : []),
        ...(INSIDE.test(`${message} ${next}`) ? [`the inside shows: ${message} ${next}`] : []),
        ...secrets
          .filter((secret) => `${message} ${next}`.includes(secret))
          .map(() => `a secret in: ${message}`),
      ])
    },
  }
}

const INSIDE = /\bundefined\b|\bNaN\b|\[object|\bat \S+:\d+:\d+|TypeError|INTERNAL Error/
