import { operationNamed } from '../../client/check-call.ts'
import { operationList } from '../../contract/index.ts'
import { stringifyJson } from '../../contract/json.ts'
import { requestSchema } from '../../contract/openapi-schema.ts'
import { textTable } from '../text-table.ts'
import { fieldRows, sampleOf } from './call-fields.ts'

export function operationsHelp(): string {
  const rows = operationList.map(({ name, writes, summary }) => [name, writes ? 'writes' : 'reads', summary])
  return [
    'Operations:',
    ...indented(textTable(rows)),
    '',
    'faultline call OPERATION --help shows its fields, limits and permission.',
    '',
    'Examples:',
    `  faultline call team/infos '{"team_ids": [1]}'`,
    '  faultline call incident/list @request.json',
  ].join('\n')
}

/** @throws ConfigError if the operation is unknown */
export function operationHelp(name: string): string {
  const operation = operationNamed(name)
  const schema = requestSchema(operation.request)
  return [
    `${operation.method} ${operation.path}`,
    operation.summary,
    '',
    ...textTable([
      ['Permission', operation.permissions.join(' or ') || 'none'],
      ['Writes', operation.writes ? 'yes (asks for confirmation without --yes)' : 'no'],
      ['Audit log', operation.audited ? 'recorded' : 'not recorded'],
    ]),
    '',
    'Fields (* required):',
    ...indented(textTable(fieldRows(schema))),
    ...(schema.description === undefined ? [] : ['', schema.description]),
    '',
    'Example:',
    `  faultline call ${name} '${stringifyJson(sampleOf(schema))}'${operation.writes ? ' --yes' : ''}`,
  ].join('\n')
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}
