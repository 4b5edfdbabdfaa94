import { Alert, Group, Stack, Text } from '@mantine/core'
import { Copy } from '@latchkey/web/parts/copy'
import type { ReactNode } from 'react'
import { type Result } from '../../call.ts'
import { Section } from '../../parts/section.tsx'
import { Unread } from '../../parts/unread.tsx'
import { useCall } from '../../queries.ts'
import { isKey, useText } from '../../texts/text.ts'

type Status = Result<'getProviderStatus'>

export function ProviderStatus() {
  const { say } = useText()
  const { data, error, refetch } = useCall('admin', 'getProviderStatus', {})
  if (!data) return <Unread error={error} onRetry={refetch} />
  return (
    <Stack gap="lg">
      {data.unreachableAccounts > 0 && (
        <Alert color="orange" title={say('admin.unreachable', { count: data.unreachableAccounts })}>
          {say('admin.unreachableHelp')}
        </Alert>
      )}
      {data.inheritableAccounts > 0 && (
        <Alert color="orange" title={say('admin.inheritable', { count: data.inheritableAccounts })}>
          {say('admin.inheritableHelp')}
        </Alert>
      )}
      <Register register={data.register} />
      <State status={data} />
      {Object.keys(data.endpoints).length > 0 && (
        <Section title={say('admin.endpoints')}>
          <dl className="facts">
            {Object.entries(data.endpoints).map(([name, address]) => (
              <Fact key={name} name={name} isCode>
                {address}
              </Fact>
            ))}
          </dl>
        </Section>
      )}
    </Stack>
  )
}

/** To the letter as they have to be registered at the provider. */
function Register({ register }: Pick<Status, 'register'>) {
  const { say } = useText()
  return (
    <Section title={say('admin.register')} help={say('admin.registerHelp')}>
      <dl className="facts" style={{ gridTemplateColumns: '1fr' }}>
        <Fact name={say('admin.redirectUri')}>
          <Address address={register.redirectUri} />
        </Fact>
        <Fact name={say('admin.postLogoutUri')}>
          <Address address={register.postLogoutRedirectUri} />
        </Fact>
        <Fact name={say('admin.backchannelUri')}>
          {register.backchannelLogoutUri === null ? (
            say('admin.backchannelOff')
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
  const { say, moment } = useText()
  const { discovery, lastLogoutToken } = status
  return (
    <Section title={say('admin.part.provider')}>
      {!discovery.ok && (
        <Alert color="red" title={say('admin.discoveryBad')}>
          <WhyUnusable discovery={discovery} />
        </Alert>
      )}
      <dl className="facts">
        <Fact name={say('admin.label')}>{status.label}</Fact>
        <Fact name={say('admin.mode')} isCode>
          {status.mode}
        </Fact>
        <Fact name={say('admin.issuer')} isCode>
          {status.issuer}
        </Fact>
        <Fact name={say('admin.discovery')}>
          {say(discovery.ok ? 'admin.discoveryOk' : 'admin.discoveryBad')}
          {discovery.checkedAt !== null && ` · ${moment(discovery.checkedAt)}`}
        </Fact>
        <Fact name={say('admin.pkce')} isCode>
          {status.pkce}
        </Fact>
        <Fact name={say('admin.tokenAuth')} isCode>
          {status.tokenAuthMethod}
        </Fact>
        {status.idTokenAlg !== null && (
          <Fact name={say('admin.idTokenAlg')} isCode>
            {status.idTokenAlg}
          </Fact>
        )}
        <Fact name={say('admin.lastLogoutToken')}>
          {lastLogoutToken === null
            ? say('admin.logoutToken.none')
            : `${say(`admin.logoutToken.${lastLogoutToken.result}`)} · ${moment(lastLogoutToken.at)}`}
        </Fact>
      </dl>
    </Section>
  )
}

function WhyUnusable({ discovery: { code, error } }: Pick<Status, 'discovery'>) {
  const { say } = useText()
  if (error === null) return say('admin.discoveryNever')
  const why = `admin.discoveryWhy.${code}`
  return (
    <>
      <Text size="sm">{say(isKey(why) ? why : 'admin.discoveryWhy.unknown')}</Text>
      {/* As it stands in the log and in the documents, which are in English. */}
      <Text size="sm" mt={4} className="wrap">
        {say('admin.discoveryDetail')}:{' '}
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
