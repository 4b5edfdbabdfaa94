export default {
  'dashboard.input': 'Shorten a URL, or search your links',
  'dashboard.placeholder': 'Paste a URL or type search words',
  'dashboard.search': 'Search',
  'dashboard.created': 'Your short link is ready',
  'dashboard.exists': 'There is a short link for this already',
  'dashboard.details': 'Details',
  'live.title': 'Live clicks',
  'live.pause': 'Pause',
  'live.resume': 'Resume',
  'live.noCountry': '–',
}
