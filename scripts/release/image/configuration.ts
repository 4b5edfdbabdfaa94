/** The unprivileged user and group of the image. */
export const USER = 65532

/** What a container of the image runs by default, and how. */
export const CONFIGURATION = {
  User: `${USER}:${USER}`,
  // The default places of the databases are below `data`, which makes them the volume.
  WorkingDir: '/',
  Volumes: { '/data': {} },
  Env: [
    'PATH=/',
    // Prevents starting the demo identity provider by mistake.
    'NODE_ENV=production',
    'LINKS_HOST=0.0.0.0',
    'ROOMS_HOST=0.0.0.0',
  ],
  ExposedPorts: { '8080/tcp': {}, '8081/tcp': {} },
  Entrypoint: ['/latchkey'],
  Cmd: ['links'],
  StopSignal: 'SIGTERM',
}
