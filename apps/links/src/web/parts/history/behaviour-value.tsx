import { useText } from '../../texts/text.ts'
import { percentagesOf } from '../behaviour/percentages.ts'
import { useSentences } from '../behaviour/sentences.ts'
import type { Behaviour, Destination } from '../behaviour/types.ts'
import { DestinationUrl } from './destination.tsx'
import { Quoted } from './quoted.tsx'
import { partsOfUrl } from './url-parts.ts'
import { visible } from './visible.ts'

/** A behaviour in the sentences of the page of a link, with every destination whole (L29.5). */
export default function BehaviourValue({ behaviour }: { behaviour: Behaviour }) {
  const { t } = useText()
  const sentences = useSentences({ urlName: (url) => partsOfUrl(url)?.host ?? visible(url) })
  const { rules = [], split, sticky, forward_query: forwarded = 'none', parameters, ...rest } = behaviour
  const { starts_at, before_url, after_url, max_clicks, confirm_visit, ...unknown } = rest
  const times = { starts_at, before_url, after_url, max_clicks, confirm_visit }
  const hasTimes = Object.values(times).some((value) => value !== undefined)
  return (
    <div className="behaviour-value">
      {rules.length > 0 && (
        <ol>
          {rules.map(({ when, to, label, ...others }, index) => (
            <li key={index}>
              {label !== undefined && <Quoted text={label} />} {sentences.conditions(when)}
              <Destinations to={to} />
              <Others values={others} />
            </li>
          ))}
        </ol>
      )}
      {split && (
        <div>
          {t(rules.length > 0 ? 'behaviour.everyoneElse' : 'behaviour.everyone')}
          <Destinations to={{ split, sticky }} />
        </div>
      )}
      {hasTimes && <div>{sentences.times({ ...times, expires_at: null })}</div>}
      {before_url !== undefined && (
        <div>
          {t('behaviour.beforeUrl')}
          <DestinationUrl url={before_url} />
        </div>
      )}
      {after_url !== undefined && (
        <div>
          {t('behaviour.afterUrl')}
          <DestinationUrl url={after_url} />
        </div>
      )}
      {forwarded !== 'none' && <div>{t(`behaviour.forwarded.${forwarded}`)}</div>}
      {parameters && <div>{t('behaviour.filled')}</div>}
      <Others values={unknown} />
    </div>
  )
}

function Destinations({ to }: { to: Destination }) {
  const { t, share } = useText()
  if (typeof to === 'string') return <DestinationUrl url={to} />
  const { split, sticky, ...others } = to
  const shares = percentagesOf(split.map(({ weight }) => weight))
  return (
    <>
      {split.map(({ url, label }, index) => (
        <div key={index}>
          {share((shares[index] ?? 0) / 100)} {label !== undefined && <Quoted text={label} />}
          <DestinationUrl url={url} />
        </div>
      ))}
      {sticky === 'day' && <div>{t('behaviour.sticky')}</div>}
      <Others values={others} />
    </>
  )
}

/** Fields that this page has no sentence for, which another version of the service may have written. */
function Others({ values }: { values: object }) {
  return Object.entries(values).map(([name, value]) => (
    <div key={name}>
      <bdi>{visible(`${name}: ${JSON.stringify(value)}`)}</bdi>
    </div>
  ))
}
