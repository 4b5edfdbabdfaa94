import { Alert, Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CallError } from '@latchkey/web/call'
import { type FormEvent, useState } from 'react'
import { type Result, call } from '../../call.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Section } from '../../parts/section.tsx'
import { useText } from '../../texts/text.ts'

type Explanation = Result<'explainClaims'>
type Rule = Explanation['rules'][number]

/** Explains what a login with pasted claims would do (R38.4). */
export function ClaimsTest() {
  const { t } = useText()
  const [text, setText] = useState('')
  const test = useMutation({ mutationFn: () => call('explainClaims', { body: { text } }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    test.mutate()
  }
  const isUnreadable = test.error instanceof CallError && test.error.status === 400
  return (
    <Section title={t('admin.claims')} help={t('admin.claimsHelp')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Textarea
            label={t('admin.claimsText')}
            description={t('admin.claimsTextHelp')}
            autosize
            minRows={4}
            maxRows={16}
            spellCheck={false}
            autoComplete="off"
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={text}
            error={isUnreadable && t('admin.claimsUnreadable')}
            onChange={({ currentTarget: { value } }) => {
              test.reset()
              setText(value)
            }}
          />
          {test.error && !isUnreadable && (
            <Alert color="red" role="alert">
              <Refusal error={test.error} />
            </Alert>
          )}
          <Group>
            <Button type="submit" variant="default" disabled={text.trim() === ''} loading={test.isPending}>
              {t('admin.claimsTest')}
            </Button>
          </Group>
        </Stack>
      </form>
      <div role="status">{test.data && <Outcome explanation={test.data} />}</div>
    </Section>
  )
}

function Outcome({ explanation }: { explanation: Explanation }) {
  const { t } = useText()
  const { maySignIn, name, isAdmin, ownedTeams, groups, isToken, rules } = explanation
  return (
    <Stack gap="md">
      <Alert
        color={maySignIn ? 'green' : 'red'}
        title={maySignIn ? t('admin.claimsMay', { name: name ?? '' }) : t('admin.claimsMayNot')}
      >
        <Text size="sm">
          {t(isAdmin ? 'admin.claimsAdmin' : 'admin.claimsNoAdmin')}
          {ownedTeams.length > 0 && ` ${t('admin.claimsTeams', { teams: ownedTeams.join(', ') })}`}
          {groups && groups.length > 0 && ` ${t('admin.claimsGroups', { groups: groups.join(', ') })}`}
          {isToken && ` ${t('admin.claimsUnsigned')}`}
        </Text>
      </Alert>
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {rules.map((rule, index) => (
          <RuleLine key={index} rule={rule} />
        ))}
      </Stack>
    </Stack>
  )
}

const REQUIRED: readonly Rule['rule'][] = ['token', 'condition', 'subject', 'name']

function isUnsettable(rule: Rule['rule']): rule is 'condition' | 'admin' | 'groups' {
  return rule === 'condition' || rule === 'admin' || rule === 'groups'
}

function RuleLine({ rule }: { rule: Rule }) {
  const { t } = useText()
  const { setting, path, expected, claim, holds, problem } = rule
  const color = holds ? 'green' : REQUIRED.includes(rule.rule) ? 'red' : 'gray'
  return (
    <li>
      <Group gap="xs">
        <Text fw={500}>{t(`admin.claim.${rule.rule}`)}</Text>
        <Badge variant="light" color={color} c="var(--text)">
          {t(holds ? 'admin.claimHolds' : 'admin.claimFails')}
        </Badge>
      </Group>
      <Text size="sm" className="wrap">
        {path !== null &&
          (claim === null ? t('admin.claimAbsent', { path }) : t('admin.claimFound', { path, claim }))}
        {expected.length > 0 && ` ${t('admin.claimExpected', { setting, values: expected.join(' | ') })}`}
        {problem === 'unset' && isUnsettable(rule.rule) && t(`admin.claimUnset.${rule.rule}`)}
      </Text>
      {problem !== null && problem !== 'unset' && (
        <Text size="sm" c="dimmed">
          {t(`admin.claimWhy.${problem}`)}
        </Text>
      )}
    </li>
  )
}
