import { ConfigError, unknownName } from '../../../errors.ts'
import type { Lesson } from '../scenario.ts'
import { meridian } from './meridian.ts'
import { silence } from './silence.ts'
import { storm } from './storm.ts'
import { testServices } from './test-services.ts'

/** Worlds that teach, by the names that they are asked for. */
export const stories: Readonly<Record<string, Lesson>> = {
  meridian,
  storm,
  silence,
  'test-services': testServices,
}

/** The world of a name. @throws ConfigError where there is none */
export function lessonOf(name: string): Lesson {
  const lesson = Object.hasOwn(stories, name) ? stories[name] : undefined
  if (lesson !== undefined) return lesson
  throw new ConfigError(`There is no world "${name}".`, { next: unknownName(name, Object.keys(stories)) })
}
