// Installs what a checkout lacks: npm packages, and for tests and the demo Debian packages.
// It runs before everything else, so it is plain JavaScript for Node 20 and newer and uses no package.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { unpackKernel } from './unpack-kernel.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')

/** Names what was installed, or says that an install has begun and not ended. */
const stampPath = join(modules, '.prepared')
const unfinished = 'unfinished'

const lockPath = join(modules, '.preparing')

const policyPath = '/usr/sbin/policy-rc.d'
const temporaryMark = '# temporary, by prepare.mjs'
const clusterFolder = '/etc/postgresql-common/createcluster.d'
const clusterPath = join(clusterFolder, 'prepare.conf')

const isDebian = existsSync('/etc/debian_version') && existsSync('/usr/bin/dpkg-query')

/** Services that come with packages of the list. Tests start the programs themselves. */
const serviceOf = { postgresql: 'postgresql', 'nginx-light': 'nginx' }

const say = (text) => console.error(`prepare: ${text}`)

async function main(purpose) {
  if (!['run', 'test', 'demo'].includes(purpose)) throw new Error('usage: prepare.mjs [run|test|demo]')
  if (!isPrepared()) await alone(installNodeModules)
  if (purpose === 'run') return
  const missing = missingOf(readPackageList())
  if (purpose === 'test' && isDebian && process.getuid?.() === 0) unpackKernel({ modules, run, say })
  if (missing.length === 0 && !hasTemporaryFiles()) return
  if (isDebian && process.getuid?.() === 0) await alone(installDebianPackages)
  else if (missing.length > 0)
    say(`not root on Debian; tests are skipped where these are absent: ${missing.join(', ')}`)
}

/** Two commands that are given at the same time must not install at the same time. */
async function alone(install) {
  mkdirSync(modules, { recursive: true })
  for (let waits = 0; !tryLock(); waits++) {
    const holder = holderOfLock()
    if (!isPreparing(holder)) rmSync(lockPath, { force: true })
    else if (waits === 0) say(`waiting for process ${holder}, which is installing`)
    await sleep(100)
  }
  // With a handler a signal waits for the program that runs now, and what is temporary is removed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))
  try {
    install()
  } finally {
    rmSync(lockPath, { force: true })
  }
}

function tryLock() {
  try {
    // A link is made together with what it says, a file is not.
    symlinkSync(String(process.pid), lockPath)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function holderOfLock() {
  try {
    return Number(readlinkSync(lockPath))
  } catch (error) {
    if (error.code === 'ENOENT') return 0
    throw error
  }
}

/** The number of a killed process may belong to another one by now. */
function isPreparing(pid) {
  if (pid === process.pid || pid === 0) return false
  if (process.platform === 'linux') return readText(`/proc/${pid}/cmdline`).includes('prepare.mjs')
  return run('ps', ['-o', 'command=', '-p', String(pid)]).output.includes('prepare.mjs')
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

// --- npm packages

function isPrepared() {
  return readText(stampPath) === stampOfNow()
}

/** npm writes the hidden lock last, after every package is in its place. */
function stampOfNow() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  for (const path of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json']) {
    hash.update(`\0${readText(join(root, path))}`)
  }
  return hash.digest('hex')
}

function installNodeModules() {
  if (isPrepared()) return
  if (readText(stampPath) === unfinished) removePackages()
  if (!isComplete()) {
    say('installing npm packages')
    writeFileSync(stampPath, unfinished)
    runNpm(['install', '--no-audit', '--no-fund', '--loglevel=error'])
  }
  writeFileSync(stampPath, stampOfNow())
}

/** npm takes a package for whole when it finds its package.json, which a killed npm may have written first. */
function removePackages() {
  say('removing npm packages that were installed in part')
  for (const name of readdirSync(modules)) {
    if (name !== basename(lockPath)) rmSync(join(modules, name), { recursive: true, force: true })
  }
}

/** Whether everything that is asked for on this platform is there, for instance by an `npm install` by hand. */
function isComplete() {
  const wanted = packagesOf('package-lock.json')
  const present = packagesOf('node_modules/.package-lock.json')
  const isThere = ([path, { version }]) =>
    present[path]?.version === version && existsSync(join(root, path, 'package.json'))
  const required = Object.entries(wanted).filter(([path, entry]) => path !== '' && isRequired(entry))
  return isLockOf(wanted['']) && required.every(isThere)
}

/** Whether the lock was made for what package.json asks for. */
function isLockOf(locked) {
  const asked = readJson('package.json')
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies']
  return kinds.every((kind) => isDeepStrictEqual({ ...locked?.[kind] }, { ...asked[kind] }))
}

function packagesOf(path) {
  return readJson(path).packages ?? {}
}

function readJson(path) {
  return JSON.parse(readText(join(root, path)) || '{}')
}

/** Optional packages count when they are made for this platform, unless they depend on a C library we cannot tell. */
function isRequired({ optional, os, cpu, libc }) {
  if (!optional) return true
  const isForUs = matches(os, process.platform) && matches(cpu, process.arch)
  return isForUs && os !== undefined && libc === undefined
}

/** As in package.json: names that are meant, or with "!" names that are not; a single one needs no list. */
function matches(condition, value) {
  if (condition === undefined) return true
  const names = [condition].flat()
  return names.includes(value) || (names.every((name) => name.startsWith('!')) && !names.includes(`!${value}`))
}

function runNpm(args) {
  const cli = process.env.npm_execpath ?? ''
  const isNpm = basename(cli) === 'npm-cli.js'
  const [command, first] = isNpm ? [process.env.npm_node_execpath ?? process.execPath, [cli]] : ['npm', []]
  const { status, error } = spawnSync(command, [...first, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (error !== undefined) throw new Error(`cannot run npm: ${error.message}`)
  // npm that fails, unlike npm that is killed, puts back what was there.
  if (status !== null) rmSync(stampPath)
  if (status !== 0) throw new Error(`"npm ${args.join(' ')}" failed in ${root}; what it said is above`)
}

// --- Debian packages

function readPackageList() {
  const lines = readFileSync(join(root, 'scripts/debian-packages.txt'), 'utf8').split('\n')
  return lines.map((line) => line.replace(/#.*/, '').trim()).filter((name) => name !== '')
}

function installDebianPackages() {
  removeTemporaryFiles()
  const missing = missingOf(readPackageList())
  if (missing.length === 0) return
  say(`installing Debian packages: ${missing.join(', ')}`)
  const output = withoutServices(missing, () => installTogetherOrAlone(missing))
  const left = missingOf(missing)
  if (left.length > 0) say(`tests that need ${left.join(', ')} are skipped; apt-get said: ${output}`)
}

/** Those that dpkg does not call installed; all of them where there is no dpkg. */
function missingOf(wanted) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholders
  const format = '${db:Status-Status}\\t${Package}\\t${Provides}\\n'
  if (!isDebian) return wanted
  const installed = new Set()
  for (const line of run('dpkg-query', ['-W', '-f', format]).output.split('\n')) {
    const [status, name, provides = ''] = line.split('\t')
    if (status !== 'installed') continue
    // A package that was renamed for its ABI provides its old name.
    for (const each of [name, ...provides.split(',')]) installed.add(each.trim().split(' ')[0])
  }
  return wanted.filter((name) => !installed.has(name))
}

function installTogetherOrAlone(names) {
  const hasLists = readdirSync('/var/lib/apt/lists').some((name) => name.includes('_Packages'))
  if (!hasLists) aptGet(['update'])
  if (aptInstall(names).isOk) return ''
  aptGet(['update'])
  if (aptInstall(names).isOk) return ''
  // One name that this release does not have must not cost the others.
  const outcomes = names.map((name) => aptInstall([name])).filter(({ isOk }) => !isOk)
  return outcomes.map(({ output }) => output.trim().split('\n').at(-1)).join('; ')
}

function aptInstall(names) {
  return aptGet(['install', '-y', '--no-install-recommends', ...names])
}

function aptGet(args) {
  return run('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...args])
}

function run(command, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' }
  const result = spawnSync(command, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  })
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`
  return { isOk: result.status === 0, output }
}

/**
 * Keeps packages from starting their services, now and at the next boot, and PostgreSQL's from making a
 * cluster. Services that were there before are left as they are.
 */
function withoutServices(names, install) {
  const services = names.map((name) => serviceOf[name]).filter((name) => name !== undefined)
  const added = services.filter((service) => !existsSync(`/etc/init.d/${service}`))
  try {
    mkdirSync(clusterFolder, { recursive: true })
    writeFileSync(clusterPath, `${temporaryMark}\ncreate_main_cluster = false\n`)
    if (!existsSync(policyPath)) writeFileSync(policyPath, `#!/bin/sh\n${temporaryMark}\nexit 101\n`, { mode: 0o755 })
    return install()
  } finally {
    removeTemporaryFiles()
    for (const service of added) run('update-rc.d', [service, 'disable'])
  }
}

function hasTemporaryFiles() {
  return [clusterPath, policyPath].some((path) => readText(path).includes(temporaryMark))
}

function removeTemporaryFiles() {
  for (const path of [clusterPath, policyPath]) {
    if (readText(path).includes(temporaryMark)) rmSync(path)
  }
  for (const folder of [clusterFolder, dirname(clusterFolder)]) removeIfEmpty(folder)
}

function removeIfEmpty(path) {
  try {
    rmdirSync(path)
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'ENOENT') throw error
  }
}

try {
  await main(process.argv[2] ?? 'run')
} catch (error) {
  say(error.message)
  process.exitCode = 1
}
