import { z } from 'zod'

export const AvatarUrl = z
  .string()
  .nullable()
  .meta({ description: 'Address of the profile picture, another for each picture; null without one.' })

export function avatarUrlOf(pictureId: string | null | undefined): string | null {
  return pictureId ? `/api/pictures/${pictureId}` : null
}
