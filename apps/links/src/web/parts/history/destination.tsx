import { useText } from '../../texts/text.ts'
import { Quoted } from './quoted.tsx'
import { partsOfUrl } from './url-parts.ts'
import { visible } from './visible.ts'

/** The whole URL, below the host that browsers ask. It is not a link, so that no one opens it by mistake. */
export function DestinationUrl({ url }: { url: string }) {
  const { t } = useText()
  const parts = partsOfUrl(url)
  if (!parts) return <Quoted text={url} />
  const { scheme, userInfo, host, rest, isAsWritten } = parts
  return (
    <div className="destination">
      <b className="destination-host">
        <bdi dir="ltr">{visible(host)}</bdi>
      </b>
      <bdi dir="ltr" className="destination-url">
        {scheme}
        {userInfo !== '' && <mark>{visible(userInfo)}@</mark>}
        {visible(host + rest)}
      </bdi>
      {userInfo !== '' && <span className="destination-note">{t('history.userInfo', { host })}</span>}
      {!isAsWritten && (
        <span className="destination-note">
          {t('history.writtenAs')} <Quoted text={url} />
        </span>
      )}
    </div>
  )
}
