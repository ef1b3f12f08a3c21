/** Metadata of a repository that does not exist, as large as a real one. */
export interface MadeMetadata {
  readonly packages: number
  primary(): Generator<Buffer>
  filelists(): Generator<Buffer>
  other(): Generator<Buffer>
}

const common = 'http://linux.duke.edu/metadata'

/** Each package has `files` files; 60,000 with 75 are some 300 MB of filelists. */
export function makeMetadata(packages: number, files: number): MadeMetadata {
  return {
    packages,
    primary: () =>
      list(
        packages,
        `<metadata xmlns="${common}/common" xmlns:rpm="${common}/rpm" packages="${packages}">`,
        primaryOf,
        '</metadata>',
      ),
    filelists: () =>
      list(
        packages,
        `<filelists xmlns="${common}/filelists" packages="${packages}">`,
        (index) => filelistsOf(index, files),
        '</filelists>',
      ),
    other: () => list(packages, `<otherdata xmlns="${common}/other" packages="${packages}">`, otherOf, '</otherdata>'),
  }
}

function* list(packages: number, start: string, entryOf: (index: number) => string, end: string): Generator<Buffer> {
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n${start}\n`
  for (let index = 0; index < packages; index++) {
    text += entryOf(index)
    if (text.length < 65536) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(`${text}${end}\n`)
}

function idOf(index: number): string {
  return (index * 2654435761).toString(16).padStart(16, '0').slice(-16).repeat(4)
}

function dependencies(kind: string, index: number, count: number): string {
  const entry = (at: number) =>
    `      <rpm:entry name="lib${kind}-${index % 977}-${at}.so.1()(64bit)" flags="GE" epoch="0" ver="${at}.2" rel="1.el9"/>\n`
  return `    <rpm:${kind}>\n${Array.from({ length: count }, (_, at) => entry(at)).join('')}    </rpm:${kind}>\n`
}

function primaryOf(index: number): string {
  return `<package type="rpm">
  <name>package-${index}</name>
  <arch>x86_64</arch>
  <version epoch="0" ver="1.${index % 50}" rel="${index % 7}.el9"/>
  <checksum type="sha256" pkgid="YES">${idOf(index)}</checksum>
  <summary>The package number ${index} &amp; what it is good for</summary>
  <description>A longer text about it, which says in some words what it does,
and for whom, and what else there is.</description>
  <packager>Somebody &lt;somebody@example.com&gt;</packager>
  <url>https://example.com/package-${index}</url>
  <time file="1700000000" build="1690000000"/>
  <size package="${index * 100}" installed="${index * 300}" archive="${index * 301}"/>
  <location href="Packages/p/package-${index}-1.${index % 50}-${index % 7}.el9.x86_64.rpm"/>
  <format>
    <rpm:license>MIT</rpm:license>
    <rpm:vendor>Example</rpm:vendor>
    <rpm:group>Unspecified</rpm:group>
    <rpm:buildhost>build.example.com</rpm:buildhost>
    <rpm:sourcerpm>package-${index}-1.${index % 50}-${index % 7}.el9.src.rpm</rpm:sourcerpm>
    <rpm:header-range start="4504" end="${8000 + (index % 999)}"/>
${dependencies('provides', index, 2)}${dependencies('requires', index, 3)}    <file>/usr/bin/package-${index}</file>
  </format>
</package>
`
}

function filelistsOf(index: number, files: number): string {
  let text = `<package pkgid="${idOf(index)}" name="package-${index}" arch="x86_64">
  <version epoch="0" ver="1.${index % 50}" rel="${index % 7}.el9"/>
  <file type="dir">/usr/share/doc/package-${index}</file>
`
  for (let at = 0; at < files; at++)
    text += `  <file>/usr/share/package-${index}/some/folder-${at % 9}/file-${at * 7}.html</file>\n`
  return `${text}</package>\n`
}

function otherOf(index: number): string {
  let text = `<package pkgid="${idOf(index)}" name="package-${index}" arch="x86_64">
  <version epoch="0" ver="1.${index % 50}" rel="${index % 7}.el9"/>
`
  for (let at = 0; at < 8; at++)
    text += `  <changelog author="Somebody &lt;somebody@example.com&gt; - 1.${at}-1" date="${1600000000 + at * 86400}">- Repaired number ${at} of ${index}</changelog>\n`
  return `${text}</package>\n`
}

/** Advisories, each about ten packages. */
export function makeUpdateinfo(advisories: number): Buffer {
  const package_ = (index: number, at: number) =>
    `<package name="package-${index}-${at}" version="1.${at}" release="1.el9" epoch="0" arch="x86_64" src="p.src.rpm"><filename>package-${index}-${at}-1.${at}-1.el9.x86_64.rpm</filename><sum type="sha256">${idOf(index + at)}</sum></package>\n`
  const advisory = (index: number) =>
    `<update from="x@example.com" status="final" type="security" version="1"><id>EX-${index}</id><title>Number ${index}</title><issued date="2026-01-01"/><description>${'What it repairs. '.repeat(30)}</description><references><reference href="https://example.com/${index}" id="CVE-${index}" type="cve"/></references><pkglist><collection short="x"><name>x</name>${Array.from({ length: 10 }, (_, at) => package_(index, at)).join('')}</collection></pkglist></update>\n`
  return Buffer.from(`<updates>${Array.from({ length: advisories }, (_, index) => advisory(index)).join('')}</updates>`)
}

/** Streams of modules, each of forty packages. */
export function makeModules(streams: number): Buffer {
  const nevras = (index: number) =>
    Array.from({ length: 40 }, (_, at) => `    - package-${index}-${at}-0:1.${at}-1.el9.x86_64\n`).join('')
  const stream = (index: number) =>
    `---\ndocument: modulemd\nversion: 2\ndata:\n  name: module-${index}\n  stream: "1"\n  version: 1\n  context: c\n  arch: x86_64\n  summary: A module\n  dependencies:\n  - requires:\n      platform: [el9]\n  artifacts:\n    rpms:\n${nevras(index)}...\n`
  return Buffer.from(Array.from({ length: streams }, (_, index) => stream(index)).join(''))
}
