#!/usr/bin/env bun
import { runCommandLine } from './cli.ts'

process.exitCode = await runCommandLine(process.argv.slice(2))

// A service that could not start leaves threads behind, which would keep the process; output may still be on its way.
if (process.exitCode !== 0) process.stdout.write('', () => process.stderr.write('', () => process.exit()))
