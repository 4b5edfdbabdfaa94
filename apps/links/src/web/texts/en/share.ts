export default {
  'share.share': 'Share',
  'share.title': 'Share statistics',
  'share.help.link':
    'Anyone with the address can see the statistics of this link, without signing in. They don’t see who owns the link, and clicks of bots are left out.',
  'share.help.bundle':
    'Anyone with the address can see the statistics of this bundle, without signing in. They don’t see who owns it, and clicks of bots are left out.',
  'share.create': 'Create address',
  'share.replace': 'Create a new address',
  'share.revoke': 'Stop sharing',
  'share.address': 'Address',
  'share.once': 'You won’t see this address again. A new one replaces it.',
  'share.since': 'Shared since {{day}}. The address can’t be shown again, but you can replace it.',
}
