import { readFileSync } from 'node:fs'
import { inPackage } from './package-path.ts'

export const { version }: { version: string } = JSON.parse(readFileSync(inPackage('package.json'), 'utf8'))
