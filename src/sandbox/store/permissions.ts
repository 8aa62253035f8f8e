import { PERMISSIONS } from '../../contract/operation.ts'

/** The permissions of the account as role/permission/list gives them, without what is granted. */
export const PERMISSION_RECORDS = PERMISSIONS.map((full, k) => {
  const [, permission_name, scope] = /^(.*) \((.*)\)$/.exec(full)!
  return {
    id: 1_001 + k,
    permission_name: permission_name!,
    permission_type: permission_name!.endsWith('view') ? 'read' : 'manage',
    description: `Allows ${permission_name}.`,
    class: permission_name!.replace(/ (view|management)$/, ''),
    scope: scope!,
    status: 'enabled',
  }
})
