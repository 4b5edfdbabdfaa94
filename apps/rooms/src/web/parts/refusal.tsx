import { Anchor } from '@mantine/core'
import { CallError } from '@latchkey/web/call'
import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { providerLogin } from '../addresses.ts'
import { useText } from '../texts/text.ts'

/**
 * Reason of a refusal. Administrators whose sign-in is too old get a link to sign in again and
 * return.
 */
export function Refusal({ error }: { error: unknown }) {
  const { t, failure } = useText()
  const [path] = useLocation()
  const search = useSearch()
  const needsSignIn = error instanceof CallError && error.code === 'reauth_required'
  return (
    <>
      {failure(error)}
      {needsSignIn && (
        <>
          {' '}
          <Anchor href={providerLogin(path + search, 'login')} underline="always" size="sm" c="inherit">
            {t('shell.signInAgain')}
          </Anchor>
        </>
      )}
    </>
  )
}
