#!/usr/bin/env node
// Starts the program with a Node that can run it: the one at hand, or the one that came as an npm package.
// Plain JavaScript for Node 20 and newer.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isatty } from 'node:tty'

/** The first that strips types and says nothing about it. */
const oldest = [24, 12]

/** A server lives long and is mostly idle: without this its heap would grow to where few collections are needed. */
const serverFlags = ['--max-semi-space-size=8']

const [major, minor] = process.versions.node.split('.').map(Number)
const isNewEnough = major > oldest[0] || (major === oldest[0] && minor >= oldest[1])

if (isNewEnough && !lacksFlags()) {
  // A checkout has sources, which need no build; the package has what was built of them.
  const isCheckout = existsSync(new URL('../src/main.ts', import.meta.url))
  await import(isCheckout ? '../src/main.ts' : '../dist/main.js')
} else {
  await runWith(isNewEnough ? process.execPath : findBundledNode())
}

/** Whether this is a server that can be had with its flags at no price. */
function lacksFlags() {
  return process.argv[2] === 'serve' && process.execve !== undefined && !process.execArgv.includes(serverFlags[0])
}

function findBundledNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    console.error(
      `Backhaul needs Node ${oldest.join('.')} or newer, this is ${process.versions.node}, and the package ` +
        `node-${process.platform}-${process.arch} is not installed. Install a newer Node, ` +
        'or the optional dependencies with "npm install --include=optional".',
    )
    process.exit(1)
  }
}

/** Ends as the program ends. Where a process can become another one there is nothing left of this one meanwhile. */
async function runWith(node) {
  const flags = process.argv[2] === 'serve' ? serverFlags : []
  const args = [...flags, ...process.argv.slice(1)]
  process.execve?.(node, [node, ...args], process.env)

  const { spawn } = await import('node:child_process')
  const child = spawn(node, args, { stdio: 'inherit' })
  const handlers = forwardSignals(child)
  child.once('error', (error) => {
    console.error(`Backhaul cannot run ${node}: ${error.message}`)
    process.exitCode = 1
  })
  child.once('exit', (code, signal) => {
    for (const [name, handler] of handlers) process.off(name, handler)
    if (signal === null) process.exitCode = code
    else process.kill(process.pid, signal)
  })
}

function forwardSignals(child) {
  const handlers = ['SIGTERM', 'SIGINT', 'SIGHUP'].map((name) => {
    // A terminal sends these two to the child by itself; a second one could mean more than the first.
    const isForBoth = name !== 'SIGTERM' && isatty(0)
    return [name, () => isForBoth || child.kill(name)]
  })
  for (const [name, handler] of handlers) process.on(name, handler)
  return handlers
}
