import { CallError } from '@latchkey/web/call'
import { addressOf, inPageSession, pageToken } from '../../call.ts'

/** Sends the user's profile picture. Rejects with `CallError`. */
export function sendPicture(file: File): Promise<void> {
  const body = new FormData()
  body.append('file', file, file.name)
  return inPageSession(async () => {
    const headers = { 'x-csrf-token': pageToken() }
    const response = await fetch(addressOf('setPicture', {}), { method: 'PUT', body, headers }).catch(() => {
      throw new CallError(0, 'offline', { code: 'offline' })
    })
    if (response.ok) return
    const answer = (await response.json().catch(() => ({}))) as { error?: string; code?: string }
    throw new CallError(response.status, answer.error ?? '', answer)
  })
}
