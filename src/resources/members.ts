import { member } from '../contract/member.ts'
import { flag, integer, text, time } from './column.ts'
import type { Resource } from './resource.ts'

/** Members of the account, with their roles. */
export const members = {
  table: 'members',
  description: 'One row per member of the account.',
  key: ['member_id'],
  operation: 'member/list',
  record: member,
  items: ['items'],
  read: { kind: 'pages' },
  updated: 'updated_at',
  columns: [
    integer('member_id'),
    integer('account_id'),
    text('member_name'),
    text('country_code'),
    text('phone'),
    text('email'),
    text('avatar'),
    text('ref_id'),
    flag('phone_verified'),
    flag('email_verified'),
    flag('is_external'),
    text('status'),
    time('created_at'),
    time('updated_at'),
  ],
  children: [{ table: 'member_roles', path: ['account_role_ids'], columns: [integer('role_id', '')] }],
} as const satisfies Resource
