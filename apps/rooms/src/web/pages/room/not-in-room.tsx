import { Button, Group } from '@mantine/core'
import { Notice } from '@latchkey/web/parts/notice'
import { PageHeading } from '@latchkey/web/shell/heading'
import { Link } from 'wouter'
import { loginPath, providerLogin } from '../../addresses.ts'
import type { RoomState } from '../../live/room-store.ts'
import { useUser } from '../../session.ts'
import { type TextKey, isKey, useText } from '../../texts/text.ts'

interface Props {
  /** Name of the room, if known. */
  name: string | undefined
  out: NonNullable<RoomState['out']>
  onComeBack: () => void
}

/**
 * Reason for not being in the room, and the possible next steps. Only the user decides to return
 * (R28.5).
 */
export function NotInRoom({ name, out: { reason, until }, onComeBack }: Props) {
  const { t, moment } = useText()
  const user = useUser()
  const isMissing = reason === 'not_found'
  const title = isMissing ? t('room.notFound') : (name ?? t('room.out'))
  const mayComeBack = reason === 'left' || reason === 'room_full' || reason === 'limit_reached'
  const wantsMember = reason === 'guests_not_allowed' || (isMissing && user.identityType === 'guest')
  return (
    <div className="page-margin">
      <PageHeading title={title} className="wrap" mb="lg" />
      <div role="alert">
        <Notice
          {...(isMissing ? { help: t('room.notFoundHelp') } : { title: t(keyOf(reason)) })}
          {...(until !== null && { help: t('room.outUntil', { when: moment(until) }) })}
          {...(reason === 'banned' && { help: t('room.bannedHelp') })}
          action={
            <Group justify="center">
              {mayComeBack && <Button onClick={onComeBack}>{t('room.comeBack')}</Button>}
              {reason === 'reauth_required' && (
                <Button component="a" href={providerLogin(location.pathname, 'login')}>
                  {t('shell.signInAgain')}
                </Button>
              )}
              {wantsMember && (
                <Button component={Link} href={loginPath(location.pathname)}>
                  {t('login.title')}
                </Button>
              )}
              <Button variant="default" component={Link} href="/">
                {t('page.toLobby')}
              </Button>
            </Group>
          }
        />
      </div>
    </div>
  )
}

/** Key of the text for a reason of `room.removed` or for the error code of a refusal. */
function keyOf(reason: string): TextKey {
  const [removed, refused] = [`room.out.${reason}`, `error.${reason}`]
  if (isKey(removed)) return removed
  return isKey(refused) ? refused : 'room.out'
}
