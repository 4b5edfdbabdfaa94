import { z } from 'zod'
import { trimmedText } from '../api/text.ts'

const MAX_LENGTH = 500

/**
 * Settings of the instance that an administrator can change (R16.5). A missing one has its default
 * or none.
 */
export const PlatformSettings = z
  .object({
    productName: z.string().optional(),
    supportUrl: z.string().optional(),
    announcement: z.string().optional(),
  })
  .meta({ id: 'PlatformSettings' })
export type PlatformSettings = z.output<typeof PlatformSettings>

const Text = trimmedText(1, MAX_LENGTH)

const HttpsUrl = Text.refine(isHttps, 'must be an https URL').meta({ format: 'uri' })

/** Only `https:`: a link on every page must never run code. */
function isHttps(value: string): boolean {
  const url = /[\s\p{Cc}\\]/u.test(value) ? null : URL.parse(value)
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}

/** Null deletes a value. A missing one keeps it. */
export const PlatformChanges = z
  .object({
    productName: Text.nullable().optional(),
    supportUrl: HttpsUrl.nullable().optional(),
    announcement: Text.nullable().optional(),
  })
  .meta({ id: 'PlatformChanges' })
export type PlatformChanges = z.output<typeof PlatformChanges>

const VoiceModeName = z
  .enum(['off', 'mesh', 'livekit'])
  .meta({ description: 'How calls in rooms are carried.' })

const ProviderName = z.object({ label: z.string(), mode: z.enum(['teamidp', 'oidc', 'oauth2']) })

export const Config = z
  .object({
    productName: z.string(),
    supportUrl: z.string().nullable(),
    announcement: z.string().nullable(),
    guestEnabled: z.boolean(),
    guestRooms: z.boolean(),
    provider: ProviderName,
    voice: VoiceModeName,
    retention: z.object({
      usual: z.union([z.int(), z.literal('forever')]).meta({ description: 'Days, in new rooms.' }),
      maxDays: z.int().nullable().meta({ description: 'The most of any room; null for no maximum.' }),
    }),
    pushKey: z.string().meta({
      description: 'Public key of this instance for push services (VAPID), in base64url.',
    }),
    demo: z.boolean(),
    version: z.string(),
  })
  .meta({ id: 'Config' })

export const AuthConfig = z.object({ provider: ProviderName, guestEnabled: z.boolean() })

export const Discovery = z.object({
  apiUrl: z.string(),
  wsUrl: z.string(),
  voice: VoiceModeName,
  version: z.string(),
  guestEnabled: z.boolean(),
  authProvider: ProviderName.shape.mode,
  providerName: z.string(),
})
