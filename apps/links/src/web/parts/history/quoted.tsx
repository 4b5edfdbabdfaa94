import { visible } from './visible.ts'

/** A text of others, in quotation marks and in a box, which no text can leave. */
export function Quoted({ text }: { text: string }) {
  return <bdi className="quoted">“{visible(text)}”</bdi>
}
