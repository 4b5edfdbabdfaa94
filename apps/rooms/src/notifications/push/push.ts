/** Who is notified of what. What it says is looked up at each attempt. */
export interface Push {
  readonly subscriptionId: string
  /** Host of the push service. */
  readonly host: string
  readonly userId: string
  readonly roomId: string
  /** The first message that it may be about. */
  readonly fromSeq: number
  /** The call that it is about, instead of messages. */
  readonly callId?: string
}
