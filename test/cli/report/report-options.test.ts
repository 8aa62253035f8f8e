import { describe, expect, test } from 'vitest'
import { checkOptions, type ReportOptions } from '../../../src/cli/report/report-options.ts'

const check = (options: ReportOptions) => () => checkOptions(options, ['service'])

describe('options of report', () => {
  test.each<[string, ReportOptions]>([
    ['--again does nothing without --deliver or --due', { again: true }],
    ['--jobs does nothing without --all-accounts or --teams or --pages', { jobs: '9' }],
    ['--deliver is not possible with --watch', { watch: true, deliver: true }],
    ['--due is not possible with --watch', { watch: true, due: true }],
    ['--team is not possible with --teams', { teams: true, team: 'Payments' }],
    ['--service is not possible with --teams', { teams: true, dimensions: { service: 'cart' } }],
    ['--account is not possible with --pages', { pages: 'service', account: 'EMEA' }],
    ['--teams is not possible with --all-accounts', { allAccounts: true, teams: true }],
    ['--watch is not possible with --all-accounts', { allAccounts: true, watch: true }],
    ["unknown option '--servce'", { dimensions: { servce: 'cart' } }],
  ])('are refused: %s', (message, options) => {
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
  ])('are accepted: %j', (options) => {
    expect(check(options)).not.toThrow()
  })
})
