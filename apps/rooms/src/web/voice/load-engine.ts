import type { Engine, JoinedCall } from './engine.ts'
import { Mesh } from './mesh.ts'

/** The engine of a mode. Only calls through LiveKit load its script. */
export async function loadEngine(mode: JoinedCall['mode']): Promise<Engine> {
  if (mode === 'mesh') return (options) => new Mesh(options)
  const { LiveKitEngine } = await import('./livekit/engine.ts')
  return (options) => new LiveKitEngine(options)
}
