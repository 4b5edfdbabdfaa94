/** The files by which apps prove that they belong to a domain. */
export const WELL_KNOWN_NAMES = ['apple-app-site-association', 'assetlinks.json'] as const
