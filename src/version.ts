import { readFileSync } from 'node:fs'
import { inPackage } from './package-path.ts'

export const version: string = (
  JSON.parse(readFileSync(inPackage('package.json'), 'utf8')) as { version: string }
).version
