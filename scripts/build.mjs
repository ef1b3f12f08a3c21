// Makes `dist/` for the npm package: Node strips no types below `node_modules`.

import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const source = join(root, 'src')
const target = join(root, 'dist')

rmSync(target, { recursive: true, force: true })
compile()
copyData()

function compile() {
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
  const tsc = join(dirname(compiler), 'bin', 'tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
  if (status !== 0) {
    // Half a program must not be packed.
    rmSync(target, { recursive: true, force: true })
    process.exit(1)
  }
}

/** What is read at run time as it is. */
function copyData() {
  for (const path of readdirSync(source, { recursive: true })) {
    if (/\.(sql|svg)$/.test(path)) cpSync(join(source, path), join(target, path))
  }
}
