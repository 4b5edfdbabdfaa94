import type en from '../en/share.ts'

export default {
  'share.share': 'Dela',
  'share.title': 'Dela statistik',
  'share.help.link':
    'Alla som har URL:en kan se länkens statistik utan att logga in. Ägaren visas inte, och klick från robotar räknas inte.',
  'share.help.bundle':
    'Alla som har URL:en kan se samlingens statistik utan att logga in. Ägaren visas inte, och klick från robotar räknas inte.',
  'share.create': 'Skapa publik URL',
  'share.replace': 'Ersätt publik URL',
  'share.revoke': 'Sluta dela',
  'share.address': 'Publik URL',
  'share.once': 'URL:en visas bara nu. Om du tappar bort den kan du ersätta den.',
  'share.since': 'Delad sedan {{day}}. URL:en kan inte visas igen, men du kan ersätta den.',
} satisfies Record<keyof typeof en, string>
