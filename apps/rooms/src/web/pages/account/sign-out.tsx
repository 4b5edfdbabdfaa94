import { Alert, Button, Group } from '@mantine/core'
import { Section } from '../../parts/section.tsx'
import { useSignOut } from '../../shell/use-sign-out.ts'
import { useText } from '../../texts/text.ts'

/** Sign-out from this session or from all. */
export function SignOut() {
  const { t, failure } = useText()
  const signOut = useSignOut()
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
