import { Select } from '@mantine/core'
import { MEMBER_ROLES, type MemberRole } from '../../../../api/roles.ts'
import { useText } from '../../../texts/text.ts'

interface Props {
  value: MemberRole
  onChange: (role: MemberRole) => void
  mayModerators: boolean
}

/** Role of an invitation. */
export function RoleChoice({ value, onChange, mayModerators }: Props) {
  const { t } = useText()
  const roles = MEMBER_ROLES.toReversed().filter((role) => role !== 'moderator' || mayModerators)
  return (
    <Select
      label={t('manage.role')}
      description={t(`room.roleHelp.${value}`)}
      inputWrapperOrder={['label', 'input', 'description']}
      data={roles.map((role) => ({ value: role, label: t(`room.role.${role}`) }))}
      value={value}
      onChange={(role) => role && onChange(role)}
      allowDeselect={false}
      comboboxProps={{ withinPortal: false }}
    />
  )
}
