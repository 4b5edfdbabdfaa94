import { createHmac, randomBytes } from 'node:crypto'
import { seal, unseal } from '@latchkey/tokens/seal'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Creates a signing secret in the form of Standard Webhooks. */
export function createSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** Encrypts a signing secret with the secret of the instance. */
export function sealSecret(secret: string, instanceSecret: string): string {
  return seal(secret, instanceSecret, 'webhook-secret')
}

/** Throws for a text that was sealed by another instance. */
export function openSecret(sealed: string, instanceSecret: string): string {
  const secret = unseal(sealed, instanceSecret, 'webhook-secret')
  if (secret === undefined) throw new Error('The secret of a webhook was sealed by another instance')
  return secret
}

interface Message {
  id: string
  /** Unix seconds of this attempt. */
  timestamp: number
  body: string
}

/** The headers of Standard Webhooks, with a signature for each secret. */
export function signatureHeaders(
  { id, timestamp, body }: Message,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
