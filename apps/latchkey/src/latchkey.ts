#!/usr/bin/env bun
import { IMAGE_PROCESS, runImageProcess } from '@latchkey/images/image-process'
import { runCommandLine } from './cli.ts'

const args = process.argv.slice(2)
// Only a parent process that sends an image starts the executable like this.
if (args[0] === IMAGE_PROCESS && process.send) await runImageProcess()
else await runCommand()

async function runCommand(): Promise<void> {
  const code = await runCommandLine(args)
  // A failed write to stdout or stderr has set the exit code already.
  process.exitCode ||= code
  // Threads of a service that failed to start would keep the process alive. Pending output is
  // flushed first.
  if (code !== 0) process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}
