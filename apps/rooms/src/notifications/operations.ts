import { operation } from '../api/context.ts'
import { ENTRY_REFUSALS, admitReader } from '../rooms/admission.ts'
import { RoomParams } from '../rooms/schema.ts'
import { readSeqOf } from '../unread/unread.ts'
import { LevelBody, NotificationSettings, toNotificationSettings } from './schema.ts'
import { findNotificationSettings, putNotificationLevel, putNotificationSettings } from './store.ts'

const tag = 'Notifications'

const setNotificationLevel = operation({
  id: 'setNotificationLevel',
  methods: ['PUT'],
  path: '/rooms/{id}/notifications',
  scope: 'session',
  tag,
  summary: 'Choose the messages of a room of which you are notified',
  params: RoomParams,
  body: LevelBody,
  result: LevelBody,
  failures: ENTRY_REFUSALS,
  async handler(context, { params: { id: roomId }, body: { level } }) {
    const access = await admitReader(context, roomId)
    const readSeq = readSeqOf(access) ?? access.room.last_seq
    const { userId } = access
    await context.database.write((tx) => putNotificationLevel(tx, { roomId, userId, readSeq, level }))
    return { level }
  },
})

const getNotificationSettings = operation({
  id: 'getNotificationSettings',
  methods: ['GET'],
  path: '/notifications',
  scope: 'session',
  tag,
  summary: 'Read how you are notified',
  result: NotificationSettings,
  handler: async (context) =>
    toNotificationSettings(await findNotificationSettings(context.database.read, context.actor.user.id)),
})

const updateNotificationSettings = operation({
  id: 'updateNotificationSettings',
  methods: ['PUT'],
  path: '/notifications',
  scope: 'session',
  tag,
  summary: 'Change how you are notified',
  body: NotificationSettings,
  result: NotificationSettings,
  async handler(context, { body: { quiet, sound } }) {
    const row = {
      user_id: context.actor.user.id,
      quiet_from: quiet?.from ?? null,
      quiet_to: quiet?.to ?? null,
      quiet_tz: quiet?.tz ?? null,
      sound: sound ? (1 as const) : (0 as const),
    }
    await context.database.write((tx) => putNotificationSettings(tx, row))
    return { quiet, sound }
  },
})

export const notificationOperations = [
  setNotificationLevel,
  getNotificationSettings,
  updateNotificationSettings,
]
