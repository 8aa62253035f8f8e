import type { z } from 'zod'
import { alert } from './alert.ts'
import { channel } from './channel.ts'
import { emptyPayload, KEY_PARAMETER } from './envelope.ts'
import { incident, responder } from './incident.ts'
import { operationList } from './index.ts'
import { RATE_LIMITS } from './limits.ts'
import { folderRuleStatus } from './monit.ts'
import { schedule } from './on-call.ts'
import { errorsOf, failureResponses, failureSchema, requestIdHeader, success } from './openapi-answers.ts'
import { type JsonSchema, requestSchema, responseSchemas } from './openapi-schema.ts'
import type { Operation } from './operation.ts'
import { member, permission, team } from './organization.ts'
import { postMortem } from './post-mortem.ts'

/** Names for the schemas of records, so that a generated client has a type for each. */
const RECORDS: ReadonlyMap<z.ZodType, string> = new Map<z.ZodType, string>([
  [incident, 'Incident'],
  [responder, 'Responder'],
  [alert, 'Alert'],
  [channel, 'Channel'],
  [schedule, 'Schedule'],
  [member, 'Member'],
  [team, 'Team'],
  [permission, 'Permission'],
  [postMortem, 'PostMortem'],
  [folderRuleStatus, 'FolderRuleStatus'],
  [emptyPayload, 'Nothing'],
])

/** From the section "Versioning" of the API document. */
const INTERFACE_VERSION = '1.0.0'

/** Returns the contract as an OpenAPI 3.1 document. It can contain bigints, so serialize it with `stringifyJson`. */
export function openApiDocument(serverUrl: string): Readonly<Record<string, unknown>> {
  const names = dataNames(operationList)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Incident Management Service',
      version: INTERFACE_VERSION,
      description: [
        'Every call acts on the account that owns its key.',
        'Timestamps are Unix seconds; 0 means not set, still active or not closed.',
        '`null` for an optional field means the same as omitting the field. Unknown fields of a request are ignored.',
        `Rate limits of an account: ${RATE_LIMITS.map(rateText).join(' and ')}.`,
      ].join('\n\n'),
    },
    servers: [{ url: serverUrl }],
    security: [{ [KEY_PARAMETER]: [] }],
    tags: [...new Set(operationList.map(tagOf))].map((name) => ({ name })),
    paths: Object.fromEntries(
      operationList.map((one) => [one.path, { [one.method.toLowerCase()]: describe(one, names) }]),
    ),
    components: {
      securitySchemes: {
        [KEY_PARAMETER]: {
          type: 'apiKey',
          in: 'query',
          name: KEY_PARAMETER,
          description: 'An application key of the account. It is a secret.',
        },
      },
      headers: requestIdHeader,
      schemas: {
        ...responseSchemas(Object.fromEntries([...names].map(([schema, name]) => [name, schema]))),
        Failure: failureSchema,
      },
      responses: failureResponses,
    },
  }
}

/** Returns the OpenAPI object for one operation. Facts without an OpenAPI field go to `description` or `x-` fields. */
function describe(operation: Operation, names: ReadonlyMap<z.ZodType, string>): Record<string, unknown> {
  const { permissions, audited, writes } = operation
  return {
    operationId: operationId(operation),
    tags: [tagOf(operation)],
    summary: operation.summary,
    description: [
      permissions.length === 0
        ? 'Needs no permission, only a valid key.'
        : `Needs the permission ${permissions.join(' or ')}.`,
      ...(audited ? ['Recorded in the audit log of the account.'] : []),
    ].join(' '),
    'x-permissions': permissions,
    'x-audited': audited,
    'x-writes': writes,
    ...input(operation),
    responses: {
      200: success(`#/components/schemas/${names.get(operation.response)}`),
      ...errorsOf(operation),
    },
  }
}

function input({ method, request }: Operation): Record<string, unknown> {
  const schema = requestSchema(request)
  if (method === 'POST')
    return { requestBody: { required: true, content: { 'application/json': { schema } } } }
  return {
    parameters: Object.entries(schema.properties ?? {}).map(([name, field]: [string, JsonSchema]) => ({
      name,
      in: 'query',
      required: schema.required?.includes(name) ?? false,
      description: field.description,
      schema: field,
    })),
  }
}

/** Names the schema of each operation's `data` after its record, or after the operation if it has no named record. */
function dataNames(list: readonly Operation[]): ReadonlyMap<z.ZodType, string> {
  const names = new Map(RECORDS)
  for (const one of list) {
    if (!names.has(one.response)) names.set(one.response, `${pascalCase(one.name)}Data`)
  }
  return names
}

function operationId({ name }: Operation): string {
  const id = pascalCase(name)
  return id.charAt(0).toLowerCase() + id.slice(1)
}

function pascalCase(name: string): string {
  return name
    .split(/[/-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

function tagOf({ name }: Operation): string {
  return name.slice(0, name.indexOf('/'))
}

function rateText({ requests, windowMs }: { requests: number; windowMs: number }): string {
  return `${requests} requests in any ${windowMs / 1_000} s`
}
