import { Alert, Group, Stack, Text } from '@mantine/core'
import { Copy } from '@latchkey/web/parts/copy'
import type { ReactNode } from 'react'
import { type Result } from '../../call.ts'
import { Section } from '../../parts/section.tsx'
import { LoadingOrError } from '../../parts/loading-or-error.tsx'
import { useCall } from '../../queries.ts'
import { isKey, useText } from '../../texts/text.ts'
import { ClaimsTest } from './claims-test.tsx'

type Status = Result<'getProviderStatus'>

export function ProviderStatus() {
  const { t } = useText()
  const { data, error, refetch } = useCall('admin', 'getProviderStatus', {})
  if (!data) return <LoadingOrError error={error} onRetry={refetch} />
  return (
    <Stack gap="lg">
      {data.unreachableAccounts > 0 && (
        <Alert color="orange" title={t('admin.unreachable', { count: data.unreachableAccounts })}>
          {t('admin.unreachableHelp')}
        </Alert>
      )}
      {data.inheritableAccounts > 0 && (
        <Alert color="orange" title={t('admin.inheritable', { count: data.inheritableAccounts })}>
          {t('admin.inheritableHelp')}
        </Alert>
      )}
      <Register register={data.register} />
      <State status={data} />
      {Object.keys(data.endpoints).length > 0 && (
        <Section title={t('admin.endpoints')}>
          <dl className="facts">
            {Object.entries(data.endpoints).map(([name, address]) => (
              <Fact key={name} name={name} isCode>
                {address}
              </Fact>
            ))}
          </dl>
        </Section>
      )}
      <ClaimsTest />
    </Stack>
  )
}

/** Everyone in the world can sign in. On all parts of the page, so that no administrator overlooks it. */
export function OpenProvider() {
  const { t } = useText()
  const { data } = useCall('admin', 'getProviderStatus', {})
  if (!data || data.openProvider === null) return null
  return (
    <Alert color="red" role="alert" mb="lg" title={t('admin.open', { provider: data.openProvider })}>
      {t('admin.openHelp')}
    </Alert>
  )
}

/** URLs exactly as they must be registered at the provider. */
function Register({ register }: Pick<Status, 'register'>) {
  const { t } = useText()
  return (
    <Section title={t('admin.register')} help={t('admin.registerHelp')}>
      <dl className="facts" style={{ gridTemplateColumns: '1fr' }}>
        <Fact name={t('admin.redirectUri')}>
          <Address address={register.redirectUri} />
        </Fact>
        <Fact name={t('admin.postLogoutUri')}>
          <Address address={register.postLogoutRedirectUri} />
        </Fact>
        <Fact name={t('admin.backchannelUri')}>
          {register.backchannelLogoutUri === null ? (
            t('admin.backchannelOff')
          ) : (
            <Address address={register.backchannelLogoutUri} />
          )}
        </Fact>
      </dl>
    </Section>
  )
}

function Address({ address }: { address: string }) {
  return (
    <Group component="span" gap={4} wrap="nowrap">
      <Text span size="sm" ff="monospace" className="wrap" miw={0}>
        {address}
      </Text>
      <Copy value={address} />
    </Group>
  )
}

function State({ status }: { status: Status }) {
  const { t, moment } = useText()
  const { discovery, lastLogoutToken } = status
  return (
    <Section title={t('admin.state')}>
      {!discovery.ok && (
        <Alert color="red" title={t('admin.discoveryBad')}>
          <DiscoveryError discovery={discovery} />
        </Alert>
      )}
      <dl className="facts">
        <Fact name={t('admin.label')}>{status.label}</Fact>
        <Fact name={t('admin.mode')} isCode>
          {status.mode}
        </Fact>
        <Fact name={t('admin.issuer')} isCode>
          {status.issuer}
        </Fact>
        {status.conditions.length > 0 && (
          <Fact name={t('admin.conditions')} isCode>
            {status.conditions.join(', ')}
          </Fact>
        )}
        <Fact name={t('admin.discovery')}>
          {t(discovery.ok ? 'admin.discoveryOk' : 'admin.discoveryBad')}
          {discovery.checkedAt !== null && ` · ${moment(discovery.checkedAt)}`}
        </Fact>
        <Fact name={t('admin.pkce')} isCode>
          {status.pkce}
        </Fact>
        <Fact name={t('admin.tokenAuth')} isCode>
          {status.tokenAuthMethod}
        </Fact>
        {status.idTokenAlg !== null && (
          <Fact name={t('admin.idTokenAlg')} isCode>
            {status.idTokenAlg}
          </Fact>
        )}
        <Fact name={t('admin.lastLogoutToken')}>
          {lastLogoutToken === null
            ? t('admin.logoutToken.none')
            : `${t(`admin.logoutToken.${lastLogoutToken.result}`)} · ${moment(lastLogoutToken.at)}`}
        </Fact>
      </dl>
    </Section>
  )
}

function DiscoveryError({ discovery: { code, error } }: Pick<Status, 'discovery'>) {
  const { t } = useText()
  if (error === null) return t('admin.discoveryNever')
  const key = `admin.discoveryWhy.${code}`
  return (
    <>
      <Text size="sm">{t(isKey(key) ? key : 'admin.discoveryWhy.unknown')}</Text>
      {/* Same words as in the log and the documentation, which are in English. */}
      <Text size="sm" mt={4} className="wrap">
        {t('admin.discoveryDetail')}:{' '}
        <Text span inherit ff="monospace" lang="en">
          {error}
        </Text>
      </Text>
    </>
  )
}

function Fact({ name, isCode = false, children }: { name: string; isCode?: boolean; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} className="wrap" {...(isCode && { ff: 'monospace' })}>
        {children}
      </Text>
    </div>
  )
}
