/** Every route for slugs exists twice: as the SDKs call it, below the link, and by the slug alone. */
export const slugForms = [
  {
    form: 'below the link',
    missing: 'Slug not found on this link',
    path: (id: number, slug: string) => `/links/${id}/slugs/${slug}`,
    add: (id: number, slug: unknown) => [`/links/${id}/slugs`, { slug }] as const,
  },
  {
    form: 'by the slug alone',
    missing: 'Slug not found',
    path: (_id: number, slug: string) => `/slugs/${slug}`,
    add: (id: number, slug: unknown) => ['/slugs', { link_id: id, slug }] as const,
  },
]
