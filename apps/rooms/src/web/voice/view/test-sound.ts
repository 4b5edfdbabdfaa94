/** Frequencies in hertz: a chord, one tone after the other. */
const TONES = [440, 554, 659]
const TONE_S = 0.22

/** Plays a sound on this speaker, where the browser can choose one. */
export async function playTestSound(speaker: string | undefined): Promise<void> {
  const audio = new AudioContext()
  const output = audio.createMediaStreamDestination()
  for (const [index, frequency] of TONES.entries()) playTone(output, frequency, index * TONE_S)
  const player = new Audio()
  player.srcObject = output.stream
  // A missing speaker is replaced by the browser's own choice.
  if (speaker) await player.setSinkId?.(speaker).catch(() => {})
  await player.play().catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, (TONES.length + 1) * TONE_S * 1_000))
  player.srcObject = null
  await audio.close()
}

function playTone(output: MediaStreamAudioDestinationNode, frequency: number, after: number): void {
  const { context } = output
  const at = context.currentTime + after
  const oscillator = new OscillatorNode(context, { frequency })
  const gain = new GainNode(context, { gain: 0.2 })
  gain.gain.setTargetAtTime(0, at + TONE_S / 2, TONE_S / 4)
  oscillator.connect(gain).connect(output)
  oscillator.start(at)
  oscillator.stop(at + 2 * TONE_S)
}
