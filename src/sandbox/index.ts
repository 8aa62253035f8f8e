// Entry point `faultline/sandbox` of the package.
export type { Faults } from './faults.ts'
export type { JournalEntry } from './journal.ts'
export type { AppKey } from './keys.ts'
export type { StatsReport } from './request-stats.ts'
export { type Sandbox, type SandboxOptions, startSandbox as createSandbox } from './start-sandbox.ts'
