/** What vendors put beside the lists of packages, for the packages of yum-upstream.ts. */

/** Groups, a category and an environment. */
export const comps = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE comps PUBLIC "-//Red Hat, Inc.//DTD Comps info//EN" "comps.dtd">
<comps>
  <group>
    <id>mammals</id>
    <name>Mammals</name>
    <name xml:lang="de">Säugetiere</name>
    <description>Those that breathe</description>
    <default>true</default>
    <uservisible>true</uservisible>
    <packagelist>
      <packagereq type="mandatory">walrus</packagereq>
      <packagereq type="default">whale</packagereq>
      <packagereq type="optional">narwhal</packagereq>
    </packagelist>
  </group>
  <group>
    <id>shells</id>
    <name>Shells</name>
    <description>Those that are hard outside</description>
    <default>false</default>
    <uservisible>true</uservisible>
    <packagelist>
      <packagereq type="mandatory">crab</packagereq>
    </packagelist>
  </group>
  <category>
    <id>animals</id>
    <name>Animals</name>
    <description>All of them</description>
    <grouplist>
      <groupid>mammals</groupid>
      <groupid>shells</groupid>
    </grouplist>
  </category>
  <environment>
    <id>ocean</id>
    <name>Ocean</name>
    <description>Where they live</description>
    <grouplist>
      <groupid>shells</groupid>
    </grouplist>
    <optionlist>
      <groupid default="true">mammals</groupid>
    </optionlist>
  </environment>
</comps>
`

/** Two streams of one module, with defaults. */
export const modules = `${moduleStream('1')}${moduleStream('2')}---
document: modulemd-defaults
version: 1
data:
  module: tentacles
  stream: "1"
  profiles:
    "1": [default]
    "2": [default]
...
`

function moduleStream(stream: string): string {
  return `---
document: modulemd
version: 2
data:
  name: tentacles
  stream: "${stream}"
  version: 2024010100000${stream}
  context: c0ffee4${stream}
  arch: noarch
  summary: Animals with arms
  description: >-
    Stream ${stream} of those that have eight.
  license:
    module: [MIT]
  dependencies:
  - requires:
      platform: [el9]
  profiles:
    default:
      rpms: [octopus]
  api:
    rpms: [octopus]
  artifacts:
    rpms:
    - octopus-0:${stream}.0-1.noarch
...
`
}

/** A security fix of walrus and an enhancement of crab. */
export const updateinfo = `<?xml version="1.0" encoding="UTF-8"?>
<updates>
  <update from="sailor@sea.example" status="final" type="security" version="1">
    <id>SEA-2024:0001</id>
    <title>Important: walrus security update</title>
    <issued date="2024-01-15 12:00:00"/>
    <updated date="2024-01-16 12:00:00"/>
    <rights>Copyright 2024 Sea</rights>
    <severity>Important</severity>
    <summary>A tusk was too sharp</summary>
    <description>It is blunt now &amp; safe.</description>
    <references>
      <reference href="https://bugs.sea.example/1" id="1" type="bugzilla" title="Sharp tusk"/>
      <reference href="https://cve.sea.example/CVE-2024-0001" id="CVE-2024-0001" type="cve" title="CVE-2024-0001"/>
    </references>
    <pkglist>
      <collection short="sea">
        <name>Sea 9</name>
        <package name="walrus" version="5.21" release="1" epoch="0" arch="noarch" src="walrus-5.21-1.src.rpm">
          <filename>walrus-5.21-1.noarch.rpm</filename>
          <reboot_suggested>True</reboot_suggested>
        </package>
      </collection>
    </pkglist>
  </update>
  <update from="sailor@sea.example" status="final" type="enhancement" version="2">
    <id>SEA-2024:0002</id>
    <title>crab enhancement update</title>
    <issued date="2024-01-17 12:00:00"/>
    <updated date="2024-01-17 12:00:00"/>
    <severity>None</severity>
    <summary>Walks forwards</summary>
    <description>Sideways is still possible.</description>
    <references/>
    <pkglist>
      <collection short="sea">
        <name>Sea 9</name>
        <package name="crab" version="2.0" release="1" epoch="1" arch="noarch" src="crab-2.0-1.src.rpm">
          <filename>crab-2.0-1.noarch.rpm</filename>
        </package>
      </collection>
    </pkglist>
  </update>
</updates>
`

/** Vendors' records that the server need not understand, by their types. */
export const vendorRecords: Readonly<Record<string, string>> = {
  productid: '-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n',
  lighthouse: 'A record of a kind that nobody knows.\n',
}

/** A tree that machines can be installed from, with the digests (SHA-256) of its files by their paths. */
export function treeinfo(digests: ReadonlyMap<string, string>): string {
  const checksums = [...digests].map(([path, sha256]) => `${path} = sha256:${sha256}`).join('\n')
  return `[checksums]
${checksums}

[general]
arch = x86_64
family = Sea
name = Sea 9
packagedir = Packages
platforms = x86_64
repository = .
timestamp = 1700000000
variant = Sea
variants = Sea
version = 9

[header]
type = productmd.treeinfo
version = 1.2

[images-x86_64]
initrd = images/pxeboot/initrd.img
kernel = images/pxeboot/vmlinuz

[release]
name = Sea
short = Sea
version = 9

[tree]
arch = x86_64
build_timestamp = 1700000000
platforms = x86_64
variants = Sea

[variant-Sea]
id = Sea
name = Sea
packages = Packages
repository = .
type = variant
uid = Sea
`
}
