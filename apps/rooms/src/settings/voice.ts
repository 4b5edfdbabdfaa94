import type { Rule, Values } from '@latchkey/settings/settings'
import type { GuestVoice } from '../db/voice-rows.ts'
import type { declarations } from './declarations.ts'

/** How calls are carried. */
export type VoiceMode = 'off' | 'mesh' | 'livekit'

/** LiveKit server that Rooms starts. */
export interface LocalServerSettings {
  /** Path, or `auto`. */
  readonly program: string
  readonly udpPort: number
  readonly tcpPort: number
  /** Null for the addresses of the machine. */
  readonly address: string | null
  readonly stunUrls: readonly string[]
}

/** LiveKit server that carries the calls. */
export interface LiveKitSettings {
  /** URL for Rooms, with http or https and without a trailing slash. */
  readonly url: string
  readonly key: string
  readonly secret: string
  /** URL for browsers; null if they reach it through Rooms. */
  readonly publicUrl: string | null
}

export interface VoiceSettings {
  readonly mode: VoiceMode
  /** What guests may do in calls at most. */
  readonly guests: GuestVoice
  readonly relayOnly: boolean
  readonly stunUrls: readonly string[]
  readonly turn: { readonly urls: readonly string[]; readonly secret: string } | null
  /** Null in other modes, and with a server of our own. */
  readonly livekit: LiveKitSettings | null
  /** Null unless Rooms starts LiveKit itself. */
  readonly localServer: LocalServerSettings | null
}

type VoiceRule = Rule<typeof declarations>

function requiredWithLiveKit(key: 'livekitKey' | 'livekitSecret'): VoiceRule {
  return {
    settings: [key, 'voice', 'livekitUrl'],
    problem: ({ voice, livekitUrl, ...values }) =>
      voice === 'livekit' && livekitUrl !== null && values[key] === null
        ? 'is required with ROOMS_LIVEKIT_URL'
        : null,
  }
}

export const voiceRules: readonly VoiceRule[] = [
  {
    settings: ['voice', 'busUrl'],
    problem: ({ voice, busUrl }) =>
      voice === 'mesh' && busUrl !== null ? 'cannot be mesh with ROOMS_BUS_URL: a mesh has one node' : null,
  },
  {
    settings: ['livekitUrl', 'livekitServer', 'voice'],
    problem: ({ livekitUrl, livekitServer, voice }) =>
      voice === 'livekit' && livekitUrl === null && livekitServer === null
        ? 'or ROOMS_LIVEKIT_SERVER is required with ROOMS_VOICE=livekit'
        : null,
  },
  {
    settings: ['livekitServer', 'livekitUrl', 'livekitPublicUrl', 'busUrl', 'voice'],
    problem: ({ livekitServer, livekitUrl, livekitPublicUrl, busUrl, voice }) => {
      if (voice !== 'livekit' || livekitServer === null) return null
      if (livekitUrl !== null) return 'cannot be set with ROOMS_LIVEKIT_URL: calls have one LiveKit server'
      if (livekitPublicUrl !== null)
        return 'cannot be set with ROOMS_LIVEKIT_PUBLIC_URL: browsers reach that server through Rooms'
      return busUrl === null
        ? null
        : 'cannot be set with ROOMS_BUS_URL: nodes need a LiveKit server in common'
    },
  },
  requiredWithLiveKit('livekitKey'),
  requiredWithLiveKit('livekitSecret'),
  {
    settings: ['turnSecret', 'turnUrls'],
    problem: ({ turnSecret, turnUrls }) =>
      turnSecret === null && turnUrls !== null ? 'is required with ROOMS_TURN_URLS' : null,
  },
  {
    settings: ['turnUrls', 'turnSecret', 'voiceRelayOnly'],
    problem: ({ turnUrls, turnSecret, voiceRelayOnly }) => {
      if (turnUrls !== null) return null
      if (turnSecret !== null) return 'is required with ROOMS_TURN_SECRET'
      return voiceRelayOnly ? 'is required with ROOMS_VOICE_RELAY_ONLY=true' : null
    },
  },
]

function livekitSettings({
  voice,
  livekitUrl: url,
  livekitKey: key,
  livekitSecret: secret,
  livekitPublicUrl: publicUrl,
  livekitServer,
}: Values<typeof declarations>): LiveKitSettings | null {
  if (voice !== 'livekit' || livekitServer !== null) return null
  if (url === null || key === null || secret === null) throw new TypeError('A rule is missing')
  return { url, key, secret, publicUrl }
}

/** Takes values that keep `voiceRules`. */
export function voiceSettings(values: Values<typeof declarations>): VoiceSettings {
  const { voice, voiceGuests, voiceRelayOnly, stunUrls, turnUrls, turnSecret } = values
  return {
    mode: voice ?? 'off',
    guests: voiceGuests,
    relayOnly: voiceRelayOnly,
    stunUrls: stunUrls ?? [],
    turn: turnUrls !== null && turnSecret !== null ? { urls: turnUrls, secret: turnSecret } : null,
    livekit: livekitSettings(values),
    localServer:
      voice === 'livekit' && values.livekitServer !== null
        ? {
            program: values.livekitServer,
            udpPort: values.voiceUdpPort,
            tcpPort: values.voiceTcpPort,
            address: values.voiceAddress,
            stunUrls: stunUrls ?? [],
          }
        : null,
  }
}
