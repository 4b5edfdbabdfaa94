/** Frequencies in hertz: a fourth upwards. */
const TONES = [587, 784]
const TONE_S = 0.14
const VOLUME = 0.12

/** Plays a short sound, if the browser lets this page: not before the user has clicked or typed in it. */
export async function playSound(): Promise<void> {
  const audio = new AudioContext()
  if (audio.state === 'running')
    for (const [index, frequency] of TONES.entries())
      playTone(audio, frequency, audio.currentTime + index * TONE_S)
  await new Promise((resolve) => setTimeout(resolve, (TONES.length + 1) * TONE_S * 1_000))
  await audio.close()
}

function playTone(audio: AudioContext, frequency: number, at: number): void {
  const oscillator = new OscillatorNode(audio, { frequency })
  const gain = new GainNode(audio, { gain: VOLUME })
  gain.gain.setTargetAtTime(0, at + TONE_S / 2, TONE_S / 3)
  oscillator.connect(gain).connect(audio.destination)
  oscillator.start(at)
  oscillator.stop(at + 2 * TONE_S)
}
