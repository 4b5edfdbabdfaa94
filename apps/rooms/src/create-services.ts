import { parseTrusted } from '@latchkey/http/client-address'
import { hashConditions } from './access-layer/policy.ts'
import { RevocationLog } from './access-layer/revocations.ts'
import { createRates } from './api/rates.ts'
import { createRoomWriter } from './api/room-writes.ts'
import type { Policy } from './api/services.ts'
import { ImageQueue } from '@latchkey/images/image-queue'
import { openStorage } from './files/storage/open.ts'
import { UploadSlots } from './files/upload-slots.ts'
import { createHosts } from './http/hosts.ts'
import { createProvider } from './login/create-provider.ts'
import { type Metrics, createMetrics } from './metrics.ts'
import { Delivery, type DeliveryOptions } from './notifications/push/delivery.ts'
import type { PushKeys } from './notifications/push/keys.ts'
import { composeNotification } from './notifications/push/notification.ts'
import type { OutboundOptions } from './notifications/push/outbound.ts'
import { Pusher } from './notifications/push/pusher.ts'
import { deleteGone } from './notifications/push/store.ts'
import type { Bus } from './realtime/bus.ts'
import type { Services } from './services.ts'
import { openLookup } from './sessions/lookup.ts'
import { SlideQueue } from './sessions/slide-queue.ts'
import type { Settings } from './settings/settings.ts'

export interface ServicesOptions extends Pick<
  Services,
  'settings' | 'log' | 'database' | 'livekit' | 'accessKeys' | 'now' | 'steadyNow'
> {
  bus: Bus
  pushKeys: PushKeys
  /** The identity provider is the demo of `latchkey start`. */
  demo?: boolean
  /** How push services are reached. */
  outbound?: OutboundOptions & Pick<DeliveryOptions, 'retryAfterMs'>
}

/** Creates what all transports depend on. */
export function createServices(options: ServicesOptions): Services {
  const { settings, log, now, steadyNow, demo = false, database, bus, livekit, accessKeys } = options
  const metrics = createMetrics()
  const rates = createRates(settings.limits, steadyNow, (limit, key) =>
    bus.publishRemote({ kind: 'rate_limit', limit, key }),
  )
  bus.listen((event) => event.kind === 'rate_limit' && rates.applyRemote(event.limit, event.key))
  const policy = policyOf(settings, demo)
  const revocations = policy.access && new RevocationLog({ database, policy: policy.access, now })
  bus.listen(({ kind }) => kind === 'sessions' && revocations?.check())
  return {
    settings,
    policy,
    database,
    writeInRoom: createRoomWriter(database),
    storage: openStorage(settings.files),
    images: new ImageQueue(log),
    uploads: new UploadSlots(),
    pusher: createPusher(options, metrics),
    livekit,
    sessions: openLookup(settings.databaseUrl, database),
    accessKeys,
    revocations,
    slideQueue: new SlideQueue(database),
    provider: createProvider(settings.provider, { log, now, metrics }),
    rates,
    proxies: { header: settings.proxyHeader, trusted: parseTrusted(settings.trustedProxies) },
    hosts: createHosts(settings.allowedHosts),
    metrics,
    log,
    publish: bus.publish,
    now,
    steadyNow,
  }
}

function createPusher(
  { settings, database, log, now, pushKeys: keys, outbound }: ServicesOptions,
  metrics: Metrics,
): Pusher {
  const delivery = new Delivery({
    ...outbound,
    keys,
    // Push services accept https only.
    contact: settings.allowedHosts[0].replace(/^http:/, 'https:'),
    log,
    count: (outcome) => metrics.countPush(outcome),
    compose: (push) => composeNotification(database, push, { content: settings.pushContent, nowMs: now() }),
    onGone: (id) => database.write((tx) => deleteGone(tx, id)),
  })
  return new Pusher({
    database,
    delivery,
    publicKey: keys.publicKey,
    log,
    now,
  })
}

function policyOf(settings: Settings, demo: boolean): Policy {
  const { provider } = settings
  return {
    label: provider.label,
    guestEnabled: settings.guestEnabled,
    guestRooms: settings.guestRooms,
    readsGroups: settings.provider.groupsPath !== null,
    guestFiles: settings.guestFiles,
    voice: settings.voice,
    adminBootstrap: settings.adminBootstrap,
    adminReauthMs: settings.adminReauthSeconds * 1000,
    access: settings.accessOrigins && {
      origins: settings.accessOrigins,
      conditionsHash: hashConditions(settings.provider.accessConditions ?? []),
      serviceKey: settings.accessServiceKey,
    },
    backchannelLogout: provider.mode !== 'oauth2' && provider.backchannelLogout,
    sessions: {
      idleMs: settings.sessionIdleSeconds * 1000,
      absoluteMs: settings.sessionAbsoluteSeconds * 1000,
    },
    transactionMs: settings.transactionSeconds * 1000,
    canonicalOrigin: settings.allowedHosts[0],
    limits: settings.limits,
    retention: {
      days: settings.retentionDays ?? settings.maxRetentionDays,
      maxDays: settings.maxRetentionDays,
    },
    demo,
  }
}
