import { describe, expect, test } from 'vitest'
import { checkOptions, type ReportOptions } from '../../../src/cli/report/report-options.ts'

const check = (options: ReportOptions) => () => checkOptions(options, ['service'])

describe('the options of `faultline report`', () => {
  test.each<[string, ReportOptions]>([
    ['--again requires --deliver or --due', { again: true }],
    ['--jobs requires --all-accounts or --teams or --pages', { jobs: '9' }],
    ['--deliver cannot be used with --watch', { watch: true, deliver: true }],
    ['--due cannot be used with --watch', { watch: true, due: true }],
    ['--team cannot be used with --teams', { teams: true, team: 'Payments' }],
    ['--service cannot be used with --teams', { teams: true, dimensions: { service: 'cart' } }],
    ['--account cannot be used with --pages', { pages: 'service', account: 'EMEA' }],
    ['--teams cannot be used with --all-accounts', { allAccounts: true, teams: true }],
    ['--watch cannot be used with --all-accounts', { allAccounts: true, watch: true }],
    ["unknown option '--servce'", { dimensions: { servce: 'cart' } }],
  ])('are rejected with the message: %s', (message, options) => {
    expect(check(options)).toThrow(message)
  })

  test.each<ReportOptions>([
    {},
    { deliver: true, again: true },
    { due: true, again: true },
    { allAccounts: true, account: 'EMEA', jobs: '2' },
    { teams: true, jobs: '2', account: 'EMEA', period: '2026-09', severity: 'Critical' },
    { watch: true, json: true, dimensions: { service: 'cart' } },
    { watch: false as never, deliver: true },
  ])('are accepted in the combination %j', (options) => {
    expect(check(options)).not.toThrow()
  })
})
