import type { ExplorerDimension } from '../../analytics/explorer/dimensions.ts'
import { countryNames } from '../parts/country.ts'
import { keyName } from '../parts/short-url.ts'
import type { OwnKey } from '../texts/index.ts'
import { useText } from '../texts/text.ts'

const VALUE_NAMES: Partial<Record<ExplorerDimension, Readonly<Record<string, OwnKey>>>> = {
  link_mode: { link: 'link.name.link', qr: 'link.name.qr' },
  channel: {
    qr: 'link.name.qr',
    email: 'link.name.email',
    social: 'link.name.social',
    campaign: 'link.name.campaign',
    search: 'link.name.search',
    referral: 'link.name.referral',
    direct: 'link.name.direct',
  },
  device: { desktop: 'link.name.desktop', mobile: 'link.name.mobile', tablet: 'link.name.tablet' },
  os: { other: 'link.name.other' },
  browser: { Other: 'link.name.other' },
}

const SYSTEMS: Readonly<Record<string, string>> = {
  ios: 'iOS',
  android: 'Android',
  windows: 'Windows',
  chromeos: 'ChromeOS',
  macos: 'macOS',
  linux: 'Linux',
}

/** Names of the empty value, by dimension. */
const NO_VALUE: Partial<Record<ExplorerDimension, OwnKey>> = {
  referrer_host: 'analytics.noReferrer',
  // Pages are shown among the clicks of a site: the site is known, and the page is not.
  referrer: 'analytics.notAvailable',
  utm_source: 'analytics.none',
  utm_medium: 'analytics.none',
  utm_campaign: 'analytics.none',
  variant: 'variant.url',
}

/**
 * Display names of the values of dimensions. Values that visitors' browsers sent, and ids, are
 * unchanged.
 */
export function useValueNames(): (dimension: ExplorerDimension, value: string) => string {
  const { t, language } = useText()
  const country = countryNames(language)
  /** The number of a rule, and of the part of a split; rule 0 is the split without a rule. */
  const variantName = (value: string) => {
    const [rule = '', part] = value.split('.')
    if (part === undefined) return t('variant.rule', { rule })
    return rule === '0' ? t('variant.part', { part }) : t('variant.rulePart', { rule, part })
  }
  return (dimension, value) => {
    if (value === '') return t(NO_VALUE[dimension] ?? 'analytics.unknown')
    if (dimension === 'variant') return variantName(value)
    if (dimension === 'country') return country(value)
    if (dimension === 'slug') return keyName(value)
    const key = VALUE_NAMES[dimension]?.[value]
    if (key) return t(key)
    return (dimension === 'os' && SYSTEMS[value]) || value
  }
}
