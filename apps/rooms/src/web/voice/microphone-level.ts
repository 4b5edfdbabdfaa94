/** Loudness of the own microphone. */
export class MicrophoneLevel {
  #audio: AudioContext | null = null
  #analyser: AnalyserNode | null = null
  #source: MediaStreamAudioSourceNode | null = null

  /** Measures this track from now on. */
  follow(track: MediaStreamTrack): void {
    const audio = (this.#audio ??= new AudioContext())
    this.#source?.disconnect()
    this.#analyser ??= new AnalyserNode(audio, { fftSize: 512 })
    this.#source = audio.createMediaStreamSource(new MediaStream([track]))
    this.#source.connect(this.#analyser)
  }

  /** Level from 0 to 1. */
  read(): number {
    if (!this.#analyser) return 0
    const samples = new Float32Array(this.#analyser.fftSize)
    this.#analyser.getFloatTimeDomainData(samples)
    return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
  }

  stop(): void {
    this.#source?.disconnect()
    void this.#audio?.close()
    this.#audio = null
    this.#analyser = null
    this.#source = null
  }
}
