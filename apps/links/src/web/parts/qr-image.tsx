import { IconQrcode } from '@latchkey/web/icons'
import { type CSSProperties, useEffect, useState } from 'react'

interface Props {
  src: string
  alt: string
  style?: CSSProperties
}

/** The picture of a QR code. Without a connection it is a sign, until the browser is online again. */
export function QrImage({ src, ...rest }: Props) {
  const [missing, setMissing] = useState<string>()
  useEffect(() => {
    const onOnline = () => setMissing(undefined)
    addEventListener('online', onOnline)
    return () => removeEventListener('online', onOnline)
  }, [])
  if (missing === src) return <IconQrcode size={24} className="qr-missing" aria-hidden />
  return <img src={src} onError={() => setMissing(src)} {...rest} />
}
