/** The columns of `users` of what people show of themselves, for an account that shows nothing. */
export const NO_PROFILE = {
  title: null,
  time_zone: null,
  picture_id: null,
  picture_sha256: null,
  picture_bytes: null,
  status_text: null,
  status_emoji: null,
  status_until: null,
  away: 0,
} as const
