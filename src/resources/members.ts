import { member } from '../contract/organization.ts'
import { tolerant } from '../contract/tolerant.ts'
import { flag, integer, type Resource, text, time } from './resource.ts'

export const members = {
  table: 'members',
  description: 'One row per member of the account.',
  key: ['member_id'],
  operation: 'member/list',
  record: tolerant(member),
  items: ['items'],
  read: { kind: 'pages' },
  updated: 'updated_at',
  columns: [
    integer('member_id', 'Key of the member; person_id elsewhere.'),
    integer('account_id', 'Account that owns the row.'),
    text('member_name', 'Name.'),
    text('country_code', 'Country of the phone number.'),
    text('phone', 'Phone number, masked by the service.'),
    text('email', 'Address.'),
    text('avatar', 'Address of a picture.'),
    text('ref_id', 'Id in another directory.'),
    flag('phone_verified', 'The phone number was verified.'),
    flag('email_verified', 'The address was verified.'),
    flag('is_external', 'Comes from outside of the account.'),
    text('status', 'enabled when active.'),
    time('created_at', 'When the member was created.'),
    time('updated_at', 'When the record last changed.'),
  ],
  children: [
    {
      table: 'member_roles',
      path: ['account_role_ids'],
      columns: [integer('role_id', 'Role of the member.', '')],
    },
  ],
} as const satisfies Resource
