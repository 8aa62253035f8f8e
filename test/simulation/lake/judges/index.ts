import type { Judge } from '../judge.ts'
import { readers } from './readers.ts'
import { rows } from './rows.ts'
import { senders } from './senders.ts'
import { turns } from './turns.ts'
import { words } from './words.ts'

export const judges: readonly Judge[] = [rows(), senders(), turns(), readers(), words()]
