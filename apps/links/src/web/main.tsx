import { startClient } from '@latchkey/web/start'
import './main.css'
import { Shell } from './shell/shell.tsx'
import { wording } from './texts/text.ts'

void startClient(<Shell />, wording)
