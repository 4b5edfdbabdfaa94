import { splitAddresses } from '../../markdown/addresses.ts'

/** Topic of a room, in a line. Addresses in it are links. */
export function Topic({ topic }: { topic: string }) {
  return (
    <p className="room-topic" dir="auto" title={topic}>
      {splitAddresses(topic).map(({ text, href }, index) =>
        href === undefined ? (
          text
        ) : (
          <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow ugc">
            <bdi dir="ltr">{text}</bdi>
          </a>
        ),
      )}
    </p>
  )
}
