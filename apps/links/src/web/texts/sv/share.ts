import type en from '../en/share.ts'

export default {
  'share.share': 'Dela',
  'share.title': 'Dela statistik',
  'share.help.link':
    'Alla som har adressen kan se länkens statistik, utan att logga in. De ser inte vem som äger länken, och klick från robotar räknas inte.',
  'share.help.bundle':
    'Alla som har adressen kan se samlingens statistik, utan att logga in. De ser inte vem som äger den, och klick från robotar räknas inte.',
  'share.create': 'Skapa adress',
  'share.replace': 'Skapa en ny adress',
  'share.revoke': 'Sluta dela',
  'share.address': 'Adress',
  'share.once': 'Adressen visas bara nu. En ny ersätter den.',
  'share.since': 'Delad sedan {{day}}. Adressen kan inte visas igen, men du kan ersätta den.',
} satisfies Record<keyof typeof en, string>
