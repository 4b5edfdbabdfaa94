/** Images whose pixels are copied, which removes their metadata. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]
