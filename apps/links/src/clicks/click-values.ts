import type { ClassifiedClick } from './click.ts'

/** The values of a click's row, in the column order of both recorders' INSERT. */
export function clickValues(click: ClassifiedClick): (string | number | null)[] {
  return [
    click.linkId,
    click.slug,
    click.clickedAt,
    click.referrer,
    click.referrerHost,
    click.country,
    click.deviceType,
    click.os,
    click.browser,
    click.linkMode,
    click.channel,
    click.utmSource,
    click.utmMedium,
    click.utmCampaign,
    click.utmTerm,
    click.utmContent,
    click.userAgent,
    click.isBot,
    click.isSelfReferrer,
    click.visitorFp,
    click.variant,
    click.legacyPath ?? null,
  ]
}
