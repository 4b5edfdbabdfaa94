#!/usr/bin/env bun
import { runCommandLine } from './cli.ts'

const code = await runCommandLine(process.argv.slice(2))
// A failed write to stdout or stderr has set the exit code already.
process.exitCode ||= code

// Threads of a service that failed to start would keep the process alive. Pending output is flushed
// first.
if (code !== 0) process.stdout.write('', () => process.stderr.write('', () => process.exit()))
