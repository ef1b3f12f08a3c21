import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SecretBox } from '../../platform/auth/secret-box.ts'
import { AppError } from '../../platform/errors.ts'
import type { ContentType } from '../content-type.ts'
import { contentTypes } from '../types/index.ts'
import type { AttributeValues } from '../unit-filter.ts'
import type { RootAttributes } from './repository-store.ts'
import {
  changeValues,
  columnsOf,
  defaultValues,
  refuseProblems,
  shownOwnValues,
  valueProblems,
  valuesOf,
} from './repository-values.ts'

const secrets = new SecretBox('a secret key for tests')

/** What repositories of each type need, and values that are not the defaults, for all attributes of the type's own. */
const samples: Readonly<Record<string, { needs?: AttributeValues; own: AttributeValues }>> = {
  ansible_collection: {
    own: {
      ansible_collection_requirements: 'collections:\n- a.b\n',
      ansible_collection_auth_url: 'https://login.example/',
      ansible_collection_auth_token: 'secret token',
    },
  },
  deb: { own: { deb_releases: 'stable', deb_components: 'main contrib', deb_architectures: 'amd64' } },
  docker: { own: { docker_upstream_name: 'library/busybox', docker_tags_whitelist: ['latest', '1.36'] } },
  file: { own: {} },
  ostree: {
    needs: { url: 'https://trees.example/' },
    own: { ostree_upstream_sync_policy: 'custom', ostree_upstream_sync_depth: 3 },
  },
  python: { own: { includes: ['shelf-reader'], excludes: ['django~=1.0'], package_types: ['sdist'] } },
  yum: { own: { os_versions: ['os-7'], ignorable_content: ['srpm'], retain_package_versions_count: 2 } },
}

/** As the database gives what it was given. */
function stored(type: ContentType, values: AttributeValues): RootAttributes {
  const columns = columnsOf(type, values)
  return { ...columns, type_attributes: JSON.parse(columns.type_attributes) } as RootAttributes
}

function change(type: ContentType, values: AttributeValues, given: AttributeValues): AttributeValues {
  return changeValues({ type, secrets }, values, given)
}

/** A value as answers show it. */
function shown(type: ContentType, values: AttributeValues, name: string): unknown {
  const own = shownOwnValues(type, stored(type, values))
  return type.attributes[name]?.isSecret === true ? own[`${name}_exists`] : own[name]
}

it('the samples are of all types', () => {
  assert.deepEqual(Object.keys(samples).sort(), contentTypes.map(({ name }) => name).sort())
})

for (const type of contentTypes) {
  const { needs = {}, own } = samples[type.name] as { needs?: AttributeValues; own: AttributeValues }

  describe(`the own attributes of ${type.name} repositories`, () => {
    const begun = change(type, defaultValues(type), needs)

    it('have samples', () => {
      assert.deepEqual(Object.keys(own).sort(), Object.keys(type.attributes).sort())
    })

    it('are their defaults when nothing is said', () => {
      assert.deepEqual(valueProblems(type, begun, needs), {})
      for (const [name, attribute] of Object.entries(type.attributes)) {
        const expected = attribute.isSecret === true ? false : attribute.default
        assert.deepEqual(shown(type, begun, name), expected, name)
      }
    })

    it('are set, stored and shown', () => {
      const values = change(type, begun, own)
      assert.deepEqual(valueProblems(type, values, own), {})
      assert.deepEqual(valuesOf(type, stored(type, values)), values)
      for (const [name, value] of Object.entries(own)) {
        assert.deepEqual(shown(type, values, name), type.attributes[name]?.isSecret === true ? true : value, name)
      }
    })

    it('stay as they are when others are changed', () => {
      const values = change(type, begun, own)
      const changed = change(type, values, { description: 'other' })
      assert.deepEqual(changed, { ...values, description: 'other' })
    })

    it('are their defaults again when they are set to null', () => {
      const values = change(type, begun, own)
      const nothing = Object.fromEntries(Object.keys(own).map((name) => [name, null]))
      assert.deepEqual(change(type, values, nothing), begun)
    })

    it('are refused by name for every other type, unless they say nothing', () => {
      for (const other of contentTypes) {
        if (other === type) continue
        const base = change(other, defaultValues(other), samples[other.name]?.needs ?? {})
        for (const [name, value] of Object.entries(own)) {
          const problems = valueProblems(other, change(other, base, { [name]: value }), { [name]: value })
          assert.deepEqual(Object.keys(problems), [name], `${name} for ${other.name}`)
          assert.throws(
            () => refuseProblems(problems),
            (error) => error instanceof AppError && error.code === 'invalid' && error.fields?.[name] !== undefined,
          )
          for (const nothing of [null, '', []])
            assert.deepEqual(valueProblems(other, base, { [name]: nothing }), {}, `${name} for ${other.name}`)
        }
      }
    })
  })
}

describe('a secret among the attributes', () => {
  const type = contentTypes.find(({ name }) => name === 'ansible_collection') as ContentType

  it('is sealed where it is stored, and never shown', () => {
    const given = {
      ansible_collection_auth_token: 'secret token',
      upstream_username: 'u',
      upstream_password: 'pass word',
    }
    const root = stored(type, change(type, defaultValues(type), given))
    assert.doesNotMatch(JSON.stringify(root), /secret token|pass word/)
    assert.equal(shownOwnValues(type, root)['ansible_collection_auth_token'], null)
  })
})
