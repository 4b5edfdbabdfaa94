/** Which robots `robots.txt` admits to short URLs; system paths are closed to all (L31.5). */
export const ROBOTS = ['disallow', 'previews', 'allow'] as const
export type Robots = (typeof ROBOTS)[number]
