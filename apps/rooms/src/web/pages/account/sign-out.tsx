import { Alert, Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { loginPath } from '../../addresses.ts'
import { call } from '../../call.ts'
import { withoutConnection } from '../../live/live.ts'
import { clearDrafts } from '@latchkey/web/draft-storage'
import { Section } from '../../parts/section.tsx'
import { useText } from '../../texts/text.ts'

/**
 * Sign-out from this session or from all. A provider that supports sign-out asks the user itself
 * (R12.2).
 */
export function SignOut() {
  const { t, failure } = useText()
  const signOut = useMutation({
    mutationFn: (body: { everywhere?: true }) => withoutConnection(() => call('logout', { body })),
    onSuccess({ logoutUrl }) {
      clearDrafts()
      location.assign(logoutUrl ?? loginPath('/', { ended: 'signed_out' }))
    },
  })
  const isBusy = signOut.isPending || signOut.isSuccess
  return (
    <Section title={t('account.signOut')} help={t('account.signOutHelp')}>
      {signOut.error && (
        <Alert color="red" role="alert">
          {failure(signOut.error)}
        </Alert>
      )}
      <Group gap="sm">
        <Button variant="default" disabled={isBusy} onClick={() => signOut.mutate({})}>
          {t('account.signOutHere')}
        </Button>
        <Button variant="default" disabled={isBusy} onClick={() => signOut.mutate({ everywhere: true })}>
          {t('account.signOutEverywhere')}
        </Button>
      </Group>
    </Section>
  )
}
