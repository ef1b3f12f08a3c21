import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeRpm } from '../src/content/types/yum/rpm/describe-rpm.ts'
import { parseRpmHeaders } from '../src/content/types/yum/rpm/read-rpm-headers.ts'
import { buildRpms } from '../test/support/rpm-fixtures.ts'
import { claim, finish, note } from './report.ts'

/** How fast the headers of packages are read and described, all three pieces of XML included. */
const distinct = 300
const filesEach = 100
const seconds = Number(process.env['BENCH_SECONDS'] ?? 3)

await using folder = await mkdtempDisposable(join(tmpdir(), 'backhaul-bench-headers-'))
note(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`)
const paths = await buildRpms(folder.path, { name: 'many', sections: packagesByLua(distinct, filesEach) })
const packages = await Promise.all(paths.map((path) => readFile(path)))
const headerBytes = packages.reduce((total, bytes) => total + parseRpmHeaders(bytes).range.end, 0) / packages.length
note(`\n${packages.length} packages of ${filesEach} files, ${Math.round(headerBytes)} bytes of headers each`)

const start = performance.now()
const first = describeAll()
const cold = performance.now() - start
let described = 0
const warm = performance.now()
while (performance.now() - warm < seconds * 1000) described += describeAll()
claim('headers a second, at first', (first / cold) * 1000, { atLeast: 1000 })
claim('headers a second', (described / (performance.now() - warm)) * 1000, { atLeast: 3000 })
finish()

function describeAll(): number {
  for (const bytes of packages) describeRpm(parseRpmHeaders(bytes), { sizeBytes: bytes.length, fileTime: 0 })
  return packages.length
}

function packagesByLua(count: number, files: number): string {
  return `%{lua: for i = 1, ${count} do
    print("%package -n many-" .. i .. "\\nSummary: Number " .. i .. "\\nRequires: many = 1.0\\nProvides: p(" .. i .. ")\\n")
    print("%description -n many-" .. i .. "\\nText " .. i .. "\\n%files -n many-" .. i .. "\\n")
    for file = 1, ${files} do print("%ghost /usr/share/many/" .. i .. "/" .. (file % 7) .. "/file-" .. file .. "\\n") end
  end}`
}
