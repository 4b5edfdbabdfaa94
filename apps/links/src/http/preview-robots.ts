/**
 * Product tokens of the robots that fetch a page once to show it as a card in a post, a chat or a
 * mail (L31.5). None may be part of the name of a search engine's robot: some parsers of
 * `robots.txt` compare only parts of names.
 */
export const PREVIEW_ROBOTS = [
  'Bluesky',
  'Discordbot',
  'Embedly',
  'Facebot',
  'facebookexternalhit',
  'Google-Chat',
  'Google-PageRenderer',
  'Iframely',
  'LinkedInBot',
  'Mastodon',
  'Mattermost-Bot',
  'meta-externalfetcher',
  'redditbot',
  'SkypeUriPreview',
  'Slack-ImgProxy',
  'Slackbot',
  'Slackbot-LinkExpanding',
  'Synapse',
  'TelegramBot',
  'Twitterbot',
  'Viber',
  'vkShare',
  'WhatsApp',
  'XING-contenttabreceiver',
  'ZoomBot',
  'ZulipURLPreview',
] as const
