import { CLAIM_SHAPES } from '@latchkey/rooms/identity/claim-shapes'
import type { ClaimsExplanation, ExplainedRule } from '@latchkey/rooms/login/explain-claims'
import { plain } from './output.ts'

/** The explanation of claims: the outcome, and then a line for each rule. */
export function formatClaimsExplanation(explanation: ClaimsExplanation): string {
  const { maySignIn, name, isAdmin, ownedTeams, groups, rules } = explanation
  return [
    maySignIn
      ? `May sign in as ${plain(name ?? '')}, ${isAdmin ? 'as an administrator' : 'not an administrator'}.`
      : 'May not sign in.',
    ...(ownedTeams.length > 0 ? [`Owner of: ${ownedTeams.map(plain).join(', ')}.`] : []),
    ...(groups !== null && groups.length > 0 ? [`In the groups: ${groups.map(plain).join(', ')}.`] : []),
    ...rules.map(formatRule),
  ].join('\n')
}

const SUBJECTS: Record<ExplainedRule['rule'], string> = {
  token: 'Token',
  condition: 'Condition',
  subject: 'Subject',
  name: 'Name',
  email: 'Email address',
  admin: 'Administrator',
  teams: 'Teams',
  groups: 'Groups',
  access: 'Access to other services',
}

function formatRule({ rule, setting, path, expected, claim, holds, problem }: ExplainedRule): string {
  const outcome = holds ? 'yes' : 'no'
  if (problem === 'unset') return `${SUBJECTS[rule]}: ${outcome}. ${setting} is not set: ${UNSET[rule]}.`
  const sentences = [
    `${SUBJECTS[rule]}: ${outcome}.`,
    `${plain(path ?? '')} is ${claim === null ? 'not there' : plain(claim)}${
      expected.length > 0 ? `, ${setting} asks for ${expected.map(plain).join(' or ')}` : ''
    }.`,
    ...(problem === null ? [] : [`${PROBLEMS[problem]}.`]),
  ]
  return sentences.join(' ')
}

const UNSET: Partial<Record<ExplainedRule['rule'], string>> = {
  condition: 'everyone whom the provider signs in may use Rooms',
  admin: 'no claim makes administrators',
  groups: 'groups give nothing in rooms',
}

const PROBLEMS: Record<Exclude<ExplainedRule['problem'], 'unset' | null>, string> = {
  ...(Object.fromEntries(
    Object.entries(CLAIM_SHAPES).map(([shape, text]) => [shape, `It is ${text}`]),
  ) as Record<keyof typeof CLAIM_SHAPES, string>),
  missing:
    'The provider does not send it: request its scope with AUTH_SCOPES, or add a mapper at the provider',
  unusable: 'The value cannot be used: it must be a text, and for a subject may be a whole number',
  other_value: 'It has other values',
  other_spelling: 'It differs only in case or spaces, and values are compared exactly',
  unverified: 'The provider does not send email_verified: true, so the address does not count',
  other_issuer: 'It comes from another issuer',
  other_client: 'It was issued to another client',
  further_audience: 'It has an audience that is not listed: add it only if you trust it',
  other_party: 'It was issued to another client, or does not name one',
  no_owner: 'No team in it has a role of an owner, or its id cannot be used',
  no_group: 'No group can be read from it: let the provider send a list of texts',
}
