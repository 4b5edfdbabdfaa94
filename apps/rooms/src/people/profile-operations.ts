import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { NO_PROFILE } from '../users/profile.ts'
import { z } from 'zod'
import { UNCHANGING, answerContent } from '../files/serve.ts'
import { receivePicture } from './picture.ts'
import {
  PictureAnswer,
  PictureParams,
  ProfileAnswer,
  ProfileBody,
  StatusAnswer,
  StatusBody,
  toOwnStatus,
} from './schema.ts'
import { findPicture, findProfile, updateProfileOf } from './store.ts'
import { avatarUrlOf } from '../users/picture-url.ts'

const tag = 'People'

const updateProfile = operation({
  id: 'updateProfile',
  methods: ['PUT'],
  path: '/profile',
  scope: 'member',
  tag,
  summary: 'Set your title and your time zone',
  body: ProfileBody,
  result: ProfileAnswer,
  async handler(context, { body }) {
    await update(context, { title: body.title, time_zone: body.timeZone })
    return { profile: body }
  },
})

const setPicture = operation({
  id: 'setPicture',
  methods: ['PUT'],
  path: '/profile/picture',
  scope: 'member',
  tag,
  summary: 'Set your profile picture from an image',
  formField: 'file',
  result: PictureAnswer,
  failures: [
    'file_too_large',
    'file_type_refused',
    'image_too_large',
    'unavailable',
    'user_storage_full',
    'total_storage_full',
  ],
  async handler(context, { openFile }) {
    if (!openFile) throw new TypeError('An upload has a form')
    const pictureId = await receivePicture(context, openFile)
    publishPicture(context)
    return { avatarUrl: avatarUrlOf(pictureId) ?? '' }
  },
})

const deletePicture = operation({
  id: 'deletePicture',
  methods: ['DELETE'],
  path: '/profile/picture',
  scope: 'member',
  tag,
  summary: 'Delete your profile picture',
  result: Success,
  async handler(context) {
    const { picture_id, picture_sha256, picture_bytes } = NO_PROFILE
    await update(context, { picture_id, picture_sha256, picture_bytes })
    publishPicture(context)
    return SUCCESS
  },
})

const readPicture = operation({
  id: 'readPicture',
  methods: ['GET'],
  path: '/pictures/{id}',
  scope: 'session',
  tag,
  summary: 'Read a profile picture',
  params: PictureParams,
  result: z.unknown(),
  media: { '*/*': 'A WebP image of 256 by 256 pixels.' },
  failures: ['not_found', 'range_not_satisfiable'],
  async handler(context, { params: { id } }) {
    const picture = await findPicture(context.database.read, id)
    if (!picture) throw failure('not_found')
    return {
      context,
      key: picture.sha256,
      name: 'picture.webp',
      type: 'image/webp',
      bytes: picture.bytes,
      cacheControl: UNCHANGING,
    }
  },
  answer: answerContent,
})

const getStatus = operation({
  id: 'getStatus',
  methods: ['GET'],
  path: '/status',
  scope: 'member',
  tag,
  summary: 'Read your status',
  result: StatusAnswer,
  async handler({ database, actor, now }) {
    return { status: toOwnStatus(await findProfile(database.read, actor.user.id), now) }
  },
})

const setStatus = operation({
  id: 'setStatus',
  methods: ['PUT'],
  path: '/status',
  scope: 'member',
  tag,
  summary: 'Replace your status, which others see',
  body: StatusBody,
  result: StatusAnswer,
  async handler(context, { body }) {
    const { text, emoji, until, away } = body
    if (until !== null && until <= context.now)
      throw failure('invalid_request', {
        text: 'until: must be a later time',
        fields: [{ path: 'until', code: 'custom' }],
      })
    const isEmpty = text === null && emoji === null && !away
    const row = {
      status_text: text,
      status_emoji: emoji,
      status_until: isEmpty ? null : until,
      away: away ? (1 as const) : (0 as const),
    }
    await update(context, row)
    return { status: toOwnStatus(row, context.now) }
  },
})

async function update(context: Context, changes: Parameters<typeof updateProfileOf>[2]): Promise<void> {
  const { database, actor, publish } = context
  const { id: userId } = actor.user
  if (!(await database.write((tx) => updateProfileOf(tx, userId, changes)))) throw failure('unauthenticated')
  publish({ kind: 'people', userIds: [userId] })
}

/** Rooms show pictures beside names, and read both again. */
function publishPicture({ publish, actor }: Context): void {
  publish({ kind: 'people', userIds: [actor.user.id] })
  publish({ kind: 'person', userId: actor.user.id })
}

export const profileOperations = [updateProfile, setPicture, deletePicture, readPicture, getStatus, setStatus]
