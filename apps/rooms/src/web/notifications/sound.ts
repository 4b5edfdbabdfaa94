/** Frequencies in hertz: a fourth upwards. */
const TONES = [587, 784]
const TONE_S = 0.14
const VOLUME = 0.12

/** Plays a short sound, if the browser lets this page: not before the user has clicked or typed in it. */
export function playSound(): Promise<void> {
  return playTones(TONES, VOLUME)
}

/** Plays tones one after the other, with frequencies in hertz and a volume from 0 to 1. */
export async function playTones(tones: readonly number[], volume: number): Promise<void> {
  const audio = new AudioContext()
  if (audio.state === 'running')
    for (const [index, frequency] of tones.entries())
      playTone(audio, { frequency, volume, at: audio.currentTime + index * TONE_S })
  await new Promise((resolve) => setTimeout(resolve, (tones.length + 1) * TONE_S * 1_000))
  await audio.close()
}

function playTone(
  audio: AudioContext,
  { frequency, volume, at }: { frequency: number; volume: number; at: number },
): void {
  const oscillator = new OscillatorNode(audio, { frequency })
  const gain = new GainNode(audio, { gain: volume })
  gain.gain.setTargetAtTime(0, at + TONE_S / 2, TONE_S / 3)
  oscillator.connect(gain).connect(audio.destination)
  oscillator.start(at)
  oscillator.stop(at + 2 * TONE_S)
}
