import { describe, expect, test } from 'vitest'
import { sampleOf } from '../../../src/cli/call/call-fields.ts'
import { operationHelp, operationsHelp } from '../../../src/cli/call/help.ts'
import { operationList } from '../../../src/contract/index.ts'
import { requestSchema } from '../../../src/contract/openapi-schema.ts'
import { ConfigError } from '../../../src/errors.ts'

function field(operation: string, name: string): string {
  const line = operationHelp(operation)
    .split('\n')
    .find((one) => one.trim().split(/\s+/)[0] === name)
  return line?.trim().replace(/\s+/g, ' ') ?? ''
}

describe('the help of `faultline call` for an operation', () => {
  test('lists each field with its type and limits', () => {
    expect(field('channel/create', 'channel_name*')).toBe(
      'channel_name* string 1 to 59 characters. Name of the channel.',
    )
    expect(field('channel/create', 'group.method')).toMatch(/^group\.method string i or p or n\. ./)
    expect(field('channel/update', 'channel_name')).toMatch(/^channel_name string 1 to 59 characters\. ./)
    expect(field('channel/update', 'auto_resolve_timeout')).toBe(
      'auto_resolve_timeout integer 0 to 2592000. Seconds; 0 = never auto-resolve.',
    )
    expect(field('team/infos', 'team_ids*')).toBe(
      'team_ids* integer[] at most 100 items; each at least 0. The teams.',
    )
    expect(field('incident/list', 'limit')).toBe('limit integer 0 to 100; default 20. Page size.')
    expect(field('channel/info', 'channel_id*')).toBe('channel_id* integer The channel.')
    expect(operationHelp('incident/list')).toContain('31 days')
  })

  test('shows the required permission and whether the operation writes', () => {
    const text = operationHelp('role/disable')
    expect(text).toContain('POST /role/disable')
    expect(text).toMatch(/Permission +role management \(organization\)/)
    expect(text).toMatch(/Writes +yes/)
    expect(text).toMatch(/Audit log +recorded/)
    const other = operationHelp('schedule/infos')
    expect(other).toMatch(/Permission +schedule view \(on-call\) or schedule management \(on-call\)/)
    expect(other).toMatch(/Writes +no/)
    expect(operationHelp('channel/info')).toMatch(/Permission +none/)
    expect(operationHelp('incident/post-mortem/info')).toContain('GET /incident/post-mortem/info')
  })

  test.each(operationList)('contains a valid example request: $name', ({ name, request, writes }) => {
    const sample = sampleOf(requestSchema(request))
    expect(request.safeParse(sample).error).toBeUndefined()
    expect(operationHelp(name)).toContain(JSON.stringify(sample))
    expect(operationHelp(name).endsWith(' --yes')).toBe(writes)
  })

  test('fails with a configuration error if the operation is unknown', () => {
    expect(() => operationHelp('chanel/info')).toThrow(ConfigError)
    expect(() => operationHelp('__proto__')).toThrow(ConfigError)
  })
})

test('the help of `faultline call` lists every operation', () => {
  const text = operationsHelp()
  for (const { name, summary, writes } of operationList)
    expect(text).toMatch(
      new RegExp(`^  ${name} +${writes ? 'writes' : 'reads'} +${summary.replace(/[().]/g, '\\$&')}$`, 'm'),
    )
})
