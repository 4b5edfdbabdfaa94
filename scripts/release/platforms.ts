/** A platform with an executable. */
export interface Platform {
  /** The name in its file's name. */
  name: string
  /** The bundler's name of it. */
  target: string
  /** The npm package with its runtime, a file below `bin`. */
  runtime: { package: string; file: string }
  /** The npm packages with the native libraries for images. */
  imageLibrary: readonly string[]
  suffix: string
}

/** Linux has glibc (Debian, Ubuntu, Fedora and similar distributions) or musl (Alpine). */
export const PLATFORMS: readonly Platform[] = [
  platform('linux-x64', 'linux-x64'),
  platform('linux-arm64', 'linux-aarch64'),
  platform('linux-x64-musl', 'linux-x64-musl'),
  platform('linux-arm64-musl', 'linux-aarch64-musl'),
  platform('darwin-x64', 'darwin-x64'),
  platform('darwin-arm64', 'darwin-aarch64'),
  platform('windows-x64', 'windows-x64'),
]

function platform(name: string, runtime: string): Platform {
  const suffix = name.startsWith('windows') ? '.exe' : ''
  const file = `bun${suffix}`
  const image = name.replace('windows', 'win32').replace(/^linux-(\w+)-musl$/, 'linuxmusl-$1')
  return {
    name,
    target: `bun-${name}`,
    runtime: { package: `@oven/bun-${runtime}`, file },
    // On Windows one package has all of them.
    imageLibrary: [`@img/sharp-${image}`, ...(suffix ? [] : [`@img/sharp-libvips-${image}`])],
    suffix,
  }
}

/** Returns the platform of this machine. Throws if it has no executable. */
export function ownPlatform(): Platform {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const isMusl = system === 'linux' && !isGlibc()
  return platformNamed(`${system}-${process.arch}${isMusl ? '-musl' : ''}`)
}

function isGlibc(): boolean {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime !== undefined
}

/** Returns the platform with this name. Throws if there is none. */
export function platformNamed(name: string): Platform {
  const match = PLATFORMS.find((each) => each.name === name)
  if (!match)
    throw new Error(
      `There is no platform ${name}: it is one of ${PLATFORMS.map((each) => each.name).join(', ')}`,
    )
  return match
}
