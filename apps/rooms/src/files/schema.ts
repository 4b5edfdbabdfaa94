import { z } from 'zod'
import { Id } from '../api/wire.ts'
import type { FileWithContent } from './store.ts'

export const RoomFile = z
  .object({
    id: z.string(),
    name: z.string().meta({ description: 'As the sender named it, without folders and control characters.' }),
    type: z.string().meta({
      description: 'Media type, recognised by the bytes; `application/octet-stream` for all others.',
    }),
    bytes: z.int(),
    width: z.int().nullable().meta({ description: 'In pixels, as displayed; null if it is no image.' }),
    height: z.int().nullable(),
    url: z.string().meta({ description: 'Path on this origin.' }),
    thumbnail: z.string().nullable().meta({
      description: 'Path of a WebP image of at most 640 by 640 pixels; null if there is none.',
    }),
  })
  .meta({ id: 'File' })
export type RoomFile = z.output<typeof RoomFile>

export function toRoomFile(row: FileWithContent): RoomFile {
  const url = `/api/files/${row.id}/${encodeURIComponent(row.name)}`
  const { id, name, type, bytes, width, height } = row
  return {
    id,
    name,
    type,
    bytes,
    width,
    height,
    url,
    thumbnail: row.thumbnail_bytes !== null ? `${url}/thumbnail` : null,
  }
}

export const FileParams = z.object({ id: Id, name: z.string() })

export const UploadQuery = z.object({
  as: z.literal('file').optional().meta({
    description:
      'Stores an image as it is, with its metadata, for download only: for one that is refused as an image.',
  }),
})
