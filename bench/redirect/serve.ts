import { settingsOrExit, startLinks, stopOnSignals } from '@latchkey/links/main'
const running = await startLinks(settingsOrExit())
stopOnSignals(() => running.stop())
