import { z } from 'zod'
import { operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { VISIT_REFUSALS } from '../rooms/admission.ts'
import { RoomParams } from '../rooms/schema.ts'
import { FileParams, RoomFile, UploadQuery, toRoomFile } from './schema.ts'
import { answerContent, findReadableFile } from './serve.ts'
import { thumbnailKey } from './storage/storage.ts'
import { receiveFile } from './upload.ts'

const tag = 'Files'

const uploadFile = operation({
  id: 'uploadFile',
  methods: ['POST'],
  path: '/rooms/{id}/files',
  scope: 'session',
  tag,
  summary: 'Upload a file, which a message must have within an hour',
  params: RoomParams,
  query: UploadQuery,
  formField: 'file',
  result: z.object({ file: RoomFile }),
  status: 201,
  failures: [
    'archived',
    'room_full',
    ...VISIT_REFUSALS,
    'guest_not_permitted',
    'file_too_large',
    'file_type_refused',
    'image_too_large',
    'unavailable',
    'room_storage_full',
    'user_storage_full',
    'total_storage_full',
  ],
  async handler(context, { params, query, openFile }) {
    if (!openFile) throw new TypeError('An upload has a form')
    return {
      file: toRoomFile(await receiveFile(context, params.id, openFile, { asFile: query.as === 'file' })),
    }
  },
})

const readFile = operation({
  id: 'readFile',
  methods: ['GET'],
  path: '/files/{id}/{name}',
  scope: 'session',
  tag,
  summary: 'Read a file of a message that you may read, or your own upload',
  params: FileParams,
  result: z.unknown(),
  media: { '*/*': 'The file, as an attachment unless browsers can display its type safely.' },
  failures: ['range_not_satisfiable'],
  async handler(context, { params }) {
    const { sha256, name, type, bytes } = await findReadableFile(context, params)
    return { context, key: sha256, name, type, bytes }
  },
  answer: answerContent,
})

const readThumbnail = operation({
  id: 'readThumbnail',
  methods: ['GET'],
  path: '/files/{id}/{name}/thumbnail',
  scope: 'session',
  tag,
  summary: 'Read a small version of an image that you may read',
  params: FileParams,
  result: z.unknown(),
  media: { '*/*': 'A WebP image of at most 640 by 640 pixels.' },
  failures: ['range_not_satisfiable'],
  async handler(context, { params }) {
    const { sha256, name, thumbnail_bytes: bytes } = await findReadableFile(context, params)
    if (bytes === null) throw failure('not_found')
    return { context, key: thumbnailKey(sha256), name: `${name}.webp`, type: 'image/webp', bytes }
  },
  answer: answerContent,
})

export const fileOperations = [uploadFile, readFile, readThumbnail]
