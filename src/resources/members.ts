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
    integer('member_id', 'Key of the member; called person_id in other tables.'),
    integer('account_id', 'Account that owns the row.'),
    text('member_name', 'Name.'),
    text('country_code', 'Country code of the phone number.'),
    text('phone', 'Phone number, masked by the service.'),
    text('email', 'E-mail address.'),
    text('avatar', 'Address of the profile picture.'),
    text('ref_id', 'Id of the member in an external directory.'),
    flag('phone_verified', 'Whether the phone number was verified.'),
    flag('email_verified', 'Whether the e-mail address was verified.'),
    flag('is_external', 'Whether the member is from outside the account.'),
    text('status', 'Status; enabled if active.'),
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
