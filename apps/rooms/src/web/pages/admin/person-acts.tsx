import { ActionIcon, Menu } from '@mantine/core'
import { showSuccess } from '@latchkey/web/toast'
import { IconDots } from '@latchkey/web/icons'
import { useRef, useState } from 'react'
import { loginPath } from '../../addresses.ts'
import { call } from '../../call.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { invalidate } from '../../queries.ts'
import { useUser } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import type { Person } from './person.ts'
import { AdminRefusal } from './refusal.tsx'

type Act = 'give' | 'take' | 'disable' | 'enable' | 'erase'

const HARMLESS: ReadonlySet<Act> = new Set(['give', 'enable'])

/** Possible actions on a user, depending on their grants (R9.4) and on the state of the account. */
function actsFor({ identityType, disabled, roleSources }: Person): Act[] {
  const isAdminHere = roleSources.some(
    ({ role, source }) => role === 'platform_admin' && (source === 'manual' || source === 'bootstrap'),
  )
  const right = identityType === 'guest' ? [] : [isAdminHere ? ('take' as const) : ('give' as const)]
  return [...right, disabled ? 'enable' : 'disable', 'erase']
}

export function PersonActions({ person }: { person: Person }) {
  const { t } = useText()
  const [act, setAct] = useState<Act>()
  const { nickname: name } = person
  const button = useRef<HTMLButtonElement>(null)
  const ask = (chosen: Act) => {
    // The menu item disappears, and the focus must return to this button after the dialog.
    button.current?.focus()
    setAct(chosen)
  }
  return (
    <>
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <ActionIcon ref={button} variant="default" size={30} aria-label={t('admin.actsOn', { name })}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {actsFor(person).map((choice) => (
            <Menu.Item key={choice} onClick={() => ask(choice)}>
              {t(`admin.act.${choice}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {act && <ConfirmAct act={act} person={person} onClose={() => setAct(undefined)} />}
    </>
  )
}

function ConfirmAct({ act, person, onClose }: { act: Act; person: Person; onClose: () => void }) {
  const { t } = useText()
  const isOwn = useUser().id === person.id
  const { nickname: name } = person
  const run = async () => {
    const remaining = await ACTS[act](person.id)
    if (isOwn && act === 'erase') return location.assign(loginPath('/', { ended: 'deleted' }))
    const isStillAdmin = act === 'take' && remaining.length > 0
    showSuccess(isStillAdmin ? t('admin.stillAdmin', { name }) : t(`admin.done.${act}`, { name }))
    await invalidate('admin')
    if (isOwn) await invalidate('session')
  }
  return (
    <ConfirmDialog
      title={t(`admin.ask.${act}`, { name })}
      help={t(`admin.help.${act}`)}
      button={t(`admin.act.${act}`)}
      {...(HARMLESS.has(act) && { color: 'ink' })}
      act={run}
      onClose={onClose}
      renderError={(error) => <AdminRefusal error={error} />}
    />
  )
}

/** Actions. Each returns the remaining sources of the administrator's role. */
const ACTS: Readonly<Record<Act, (userId: string) => Promise<readonly string[]>>> = {
  give: (userId) => changeRight(userId, true),
  take: (userId) => changeRight(userId, false),
  disable: (userId) => changeStatus(userId, true),
  enable: (userId) => changeStatus(userId, false),
  async erase(userId) {
    await call('deleteUser', { params: { userId } })
    return []
  },
}

async function changeRight(userId: string, granted: boolean) {
  const { remaining } = await call('changePlatformAdmin', { params: { userId }, body: { granted } })
  return remaining
}

async function changeStatus(userId: string, disabled: boolean) {
  await call('changeUserStatus', { params: { userId }, body: { disabled } })
  return []
}
