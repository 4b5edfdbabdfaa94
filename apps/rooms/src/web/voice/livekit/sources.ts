import { Track } from 'livekit-client'
import type { Source } from '../../../voice/sources.ts'

export const LIVEKIT_SOURCES: Readonly<Record<Source, Track.Source>> = {
  microphone: Track.Source.Microphone,
  camera: Track.Source.Camera,
  screen: Track.Source.ScreenShare,
  screenSound: Track.Source.ScreenShareAudio,
}

/** A list of its own: one that the mesh has, too, would be another script to load. */
export const SOURCES = Object.keys(LIVEKIT_SOURCES) as readonly Source[]
