import type { Judge } from '../judge.ts'
import { around } from './around.ts'
import { copy } from './copy.ts'
import { delivered } from './delivered.ts'
import { growth } from './growth.ts'
import { ledger } from './ledger.ts'
import { limits } from './limits.ts'
import { readers } from './readers.ts'
import { reads } from './reads.ts'
import { recovers } from './recovers.ts'
import { restated } from './restated.ts'
import { secrets } from './secrets.ts'
import { versions } from './versions.ts'
import { words } from './words.ts'

/** Creates new judges for each simulation, because judges remember earlier nights. */
export const judges = (): readonly Judge[] => [
  copy(),
  around(),
  ledger(),
  versions(),
  readers(),
  delivered(),
  restated(),
  limits(),
  recovers(),
  reads(),
  words(),
  secrets(),
  growth(),
]
