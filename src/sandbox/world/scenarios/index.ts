import { ConfigError, unknownName } from '../../../errors.ts'
import type { Lesson } from '../scenario.ts'
import { meridian } from './meridian.ts'
import { silence } from './silence.ts'
import { storm } from './storm.ts'
import { testServices } from './test-services.ts'

export const stories: Readonly<Record<string, Lesson>> = {
  meridian,
  storm,
  silence,
  'test-services': testServices,
}

/** Returns a scenario by name. @throws ConfigError if the scenario does not exist */
export function lessonOf(name: string): Lesson {
  const lesson = Object.hasOwn(stories, name) ? stories[name] : undefined
  if (lesson !== undefined) return lesson
  throw new ConfigError(`Unknown world "${name}".`, { next: unknownName(name, Object.keys(stories)) })
}
