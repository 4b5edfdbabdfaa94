export default {
  'share.share': 'Share',
  'share.title': 'Share analytics',
  'share.help.link':
    'Anyone with the URL can view this link’s analytics without signing in. The owner isn’t shown, and bot clicks are left out.',
  'share.help.bundle':
    'Anyone with the URL can view this bundle’s analytics without signing in. The owner isn’t shown, and bot clicks are left out.',
  'share.create': 'Create public URL',
  'share.replace': 'Replace public URL',
  'share.revoke': 'Stop sharing',
  'share.address': 'Public URL',
  'share.once': 'You won’t see this URL again. If you lose it, replace it.',
  'share.since': 'Shared since {{day}}. The URL can’t be shown again, but you can replace it.',
}
