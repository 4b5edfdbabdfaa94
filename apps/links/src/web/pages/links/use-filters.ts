import type { Result } from '../../call.ts'
import { me } from '../../me.ts'
import { defaultHost } from '../../parts/short-url.ts'
import { useText } from '../../texts/text.ts'
import { useAllBundles } from '../bundles/use-all-bundles.ts'
import type { View } from './view.ts'

/** A value of a filter, with the changes of the view that set and clear it. */
export interface Filter {
  key: string
  group: string
  label: string
  isActive: boolean
  /** Number of links; undefined while unknown. */
  count?: number | undefined
  set: Partial<View>
  clear: Partial<View>
}

const STATES = ['active', 'expiring', 'expired', 'disabled'] as const
const SOURCES = ['app', 'api', 'sdk', 'mcp', 'import'] as const
/** Further bundles are filtered from their own pages. */
const MAX_BUNDLES = 8

interface Choices {
  /** Numbers of links of each filter, once they are read. */
  counts: Result<'countLinks'> | undefined
  /** Whether bundles are to be read for the choice. */
  hasBundles: boolean
}

/** The filters of the list: those that are set, and those to choose from. */
export function useFilters(view: View, { counts, hasBundles }: Choices): Filter[] {
  const stateFilters = useStateFilters(view, counts)
  const ownerFilters = useOwnerFilters(view, counts)
  const sourceFilters = useSourceFilters(view, counts)
  const bundleFilters = useBundleFilters(view, hasBundles || view.bundle !== '')
  const behaviourFilter = useBehaviourFilter(view)
  const domainFilters = useDomainFilters(view)
  return [
    ...stateFilters,
    behaviourFilter,
    ...ownerFilters,
    ...domainFilters,
    ...bundleFilters,
    ...sourceFilters,
  ]
}

function useStateFilters(view: View, counts: Choices['counts']): Filter[] {
  const { t } = useText()
  return STATES.map((status) => ({
    key: status,
    group: t('links.status'),
    label: t(`links.${status}`),
    isActive: view.status === status,
    count: counts?.states[status],
    set: { status },
    clear: { status: 'all' },
  }))
}

function useBehaviourFilter(view: View): Filter {
  const { t } = useText()
  return {
    key: 'has_behaviour',
    group: t('links.status'),
    label: t('links.hasBehaviour'),
    isActive: view.has_behaviour === 'true',
    set: { has_behaviour: 'true' },
    clear: { has_behaviour: '' },
  }
}

function useOwnerFilters(view: View, counts: Choices['counts']): Filter[] {
  const { t } = useText()
  const others = counts?.owners.map(({ name }) => name) ?? []
  const owners = new Set([me.identity, ...others, ...(view.owner === '' ? [] : [view.owner])])
  return [...owners].map((owner) => ({
    key: `owner ${owner}`,
    group: t('links.owner'),
    label: owner === me.identity ? t('links.mine') : owner,
    isActive: view.owner === owner,
    count: counts && (counts.owners.find(({ name }) => name === owner)?.count ?? 0),
    set: { owner },
    clear: { owner: '' },
  }))
}

/** Returns no filters while there is only one domain. A link in the address may name another host. */
function useDomainFilters(view: View): Filter[] {
  const { t } = useText()
  const own = me.domains.length > 0 ? [defaultHost, ...me.domains] : []
  const domains = new Set([...own, ...(view.domain === '' ? [] : [view.domain])])
  return [...domains].map((domain) => ({
    key: `domain ${domain}`,
    group: t('domains.domain'),
    label: domain,
    isActive: view.domain === domain,
    set: { domain },
    clear: { domain: '' },
  }))
}

function useSourceFilters(view: View, counts: Choices['counts']): Filter[] {
  const { t } = useText()
  const sources = SOURCES.map((source) => ({
    key: `source ${source}`,
    group: t('link.source'),
    label: t(`link.via.${source}`),
    isActive: view.source === source,
    count: counts?.sources.find(({ name }) => name === source)?.count ?? 0,
    set: { source },
    clear: { source: '' },
  }))
  const host = {
    key: 'host',
    group: t('links.host'),
    label: view.host,
    isActive: view.host !== '',
    set: {},
    clear: { host: '' },
  }
  return [...sources.filter(({ count, isActive }) => isActive || count > 0), ...(host.isActive ? [host] : [])]
}

function useBundleFilters(view: View, isRead: boolean): Filter[] {
  const { t } = useText()
  const group = t('bundles.bundle')
  const { data = [] } = useAllBundles(isRead)
  const listed = data.filter(({ id }, index) => index < MAX_BUNDLES || String(id) === view.bundle)
  if (listed.length === 0 && view.no_bundle === '') return []
  const none = {
    key: 'no_bundle',
    group,
    label: t('links.noBundle'),
    isActive: view.no_bundle === 'true',
    set: { no_bundle: 'true', bundle: '' },
    clear: { no_bundle: '' },
  }
  return [
    ...listed.map(({ id, name }) => ({
      key: `bundle ${id}`,
      group,
      label: name,
      isActive: view.bundle === String(id),
      set: { bundle: String(id), no_bundle: '' },
      clear: { bundle: '' },
    })),
    none,
  ]
}
