const NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
}

const INVALID_PARAMS = -32602

interface Issue {
  path: readonly (string | number)[]
  expected?: string
}

/**
 * Replaces the SDK's list of validation issues in an error with one sentence, because clients
 * display it.
 */
export function withPlainError<Message>(message: Message): Message {
  const { error } = message as { error?: { message: string } }
  const issue = error && firstIssue(error.message)
  if (!issue) return message
  return { ...message, error: { code: INVALID_PARAMS, message: formatIssue(issue) } }
}

function firstIssue(text: string): Issue | undefined {
  const start = text.indexOf('[\n')
  if (start === -1) return undefined
  try {
    return (JSON.parse(text.slice(start)) as Issue[])[0]
  } catch {
    return { path: [] }
  }
}

function formatIssue({ path, expected = '' }: Issue): string {
  const name = path.filter((part) => part !== 'params').join('.') || 'params'
  const kind = NAMES[expected]
  return `Invalid params: ${name} ${kind === undefined ? 'is not valid' : `must be ${kind}`}`
}
