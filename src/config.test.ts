import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Environment, readConfig } from './config.ts'
import { options } from './config-options.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'backhaul-config-'))
})
after(() => rmSync(folder, { recursive: true }))

function problemsOf(env: Environment): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    assert.equal(code, 'invalid')
    assert.match(message, /^Cannot start:\n/)
    return message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ''))
  }
}

function fileWith(text: string): string {
  const path = join(folder, `secret-${Math.random()}`)
  writeFileSync(path, text)
  return path
}

describe('the configuration', () => {
  it('of an empty environment is made of the defaults', () => {
    const config = readConfig({ HOME: '/root', PATH: '/usr/bin' })

    assert.equal(config.data, resolve('backhaul-data'))
    assert.deepEqual(config.apiListen, { host: '127.0.0.1', port: 3080 })
    assert.deepEqual(config.contentListen, { host: '127.0.0.1', port: 8080 })
    assert.deepEqual([...config.roles], ['api', 'content', 'worker', 'links'])
    assert.deepEqual(config.corsOrigins, [])
    assert.equal(config.databaseUrl, undefined)
    assert.equal(config.adminPassword, undefined)
    assert.equal(config.logLevel, 'info')
  })

  it('cannot be changed', () => {
    assert.ok(Object.isFrozen(readConfig({})))
  })

  it('names every problem at once', () => {
    const problems = problemsOf({
      BACKHAUL_API_LISTEN: 'localhost',
      BACKHAUL_CONTENT_URL: 'ftp://x/',
      BACKHAUL_ROLES: 'api,cook',
      BACKHAUL_LOG_LEVEL: 'loud',
      BACKHAUL_DATABASE_URL: 'mysql://secret@x/',
      BACKHAUL_ADMIN_PASSWORD: 'short',
      BACKHAUL_SECRET_KEY: 'short too',
      BACKHAUL_TLS_KEY: '/etc/key.pem',
      BACKHAUL_PROT: '3080',
    })

    assert.deepEqual(problems, [
      'BACKHAUL_API_LISTEN cannot be "localhost": it is a host:port',
      'BACKHAUL_CONTENT_URL cannot be "ftp://x/": it is a URL',
      'BACKHAUL_DATABASE_URL cannot be what it is: it is a PostgreSQL URL',
      'BACKHAUL_ROLES cannot be "api,cook": it is a list of api, content, worker, links',
      'BACKHAUL_LOG_LEVEL cannot be "loud": it is a fatal, error, warn, info, debug, trace, silent',
      'BACKHAUL_PROT is not a setting of Backhaul',
      'BACKHAUL_TLS_CERT and BACKHAUL_TLS_KEY must be set together',
      'BACKHAUL_ADMIN_PASSWORD must have at least 8 characters',
      'BACKHAUL_SECRET_KEY must have at least 16 characters',
    ])
  })

  it('knows whether the folder of the web page is there', () => {
    assert.equal(readConfig({ BACKHAUL_WEB_UI_DIR: folder }).webUiFolder, folder)
    for (const path of [join(folder, 'none'), fileWith('no folder')])
      assert.deepEqual(problemsOf({ BACKHAUL_WEB_UI_DIR: path }), [
        `BACKHAUL_WEB_UI_DIR cannot be "${path}": there is no such folder`,
      ])
  })

  it('has no option whose empty text is taken for a value, origins aside', () => {
    for (const { name } of Object.values(options)) {
      assert.equal(problemsOf({ [name]: '' }).length, name === 'BACKHAUL_CORS_ORIGINS' ? 0 : 1, name)
    }
  })

  for (const [name, text, key, value] of [
    ['BACKHAUL_API_LISTEN', '0.0.0.0:80', 'apiListen', { host: '0.0.0.0', port: 80 }],
    ['BACKHAUL_API_LISTEN', '[::1]:0', 'apiListen', { host: '::1', port: 0 }],
    ['BACKHAUL_API_LISTEN', 'my-host.example:65535', 'apiListen', { host: 'my-host.example', port: 65_535 }],
    ['BACKHAUL_CONTENT_URL', 'https://content.example/', 'contentUrl', 'https://content.example'],
    ['BACKHAUL_CONTENT_URL', 'http://x:8080/a/b//', 'contentUrl', 'http://x:8080/a/b'],
    ['BACKHAUL_CONTENT_URL', 'http://x/?', 'contentUrl', 'http://x'],
    ['BACKHAUL_DATABASE_URL', 'postgresql://u@/db?host=%2Ftmp', 'databaseUrl', 'postgresql://u@/db?host=%2Ftmp'],
    ['BACKHAUL_DATABASE_URL', 'postgres://u:p@h:5432/db', 'databaseUrl', 'postgres://u:p@h:5432/db'],
    ['BACKHAUL_ROLES', 'worker, api', 'roles', new Set(['worker', 'api'])],
    ['BACKHAUL_FETCH_DENY', 'private', 'fetchDeny', 'private'],
    ['BACKHAUL_CORS_ORIGINS', 'https://a.example, http://b:81', 'corsOrigins', ['https://a.example', 'http://b:81']],
    ['BACKHAUL_CORS_ORIGINS', '*', 'corsOrigins', ['*']],
    ['BACKHAUL_DATA', '/srv/../srv/backhaul/', 'data', '/srv/backhaul'],
  ] as const) {
    it(`reads ${name}=${text}`, () => {
      assert.deepEqual(readConfig({ [name]: text })[key], value)
    })
  }

  for (const [name, text] of [
    ['BACKHAUL_API_LISTEN', '3080'],
    ['BACKHAUL_API_LISTEN', ':3080'],
    ['BACKHAUL_API_LISTEN', 'x:65536'],
    ['BACKHAUL_API_LISTEN', '::1:3080'],
    ['BACKHAUL_API_LISTEN', 'http://x:80'],
    ['BACKHAUL_API_LISTEN', 'a b:80'],
    ['BACKHAUL_CONTENT_URL', 'content.example'],
    ['BACKHAUL_CONTENT_URL', 'https://user:secret@x/'],
    ['BACKHAUL_CONTENT_URL', 'https://x/?a=b'],
    ['BACKHAUL_CONTENT_URL', 'https://x/#a'],
    ['BACKHAUL_DATABASE_URL', 'x'],
    ['BACKHAUL_DATABASE_URL', 'postgresql://'],
    ['BACKHAUL_ROLES', 'api,,worker'],
    ['BACKHAUL_ROLES', 'API'],
    ['BACKHAUL_CONSOLE_PORTS', '5000'],
    ['BACKHAUL_CONSOLE_PORTS', '0-9'],
    ['BACKHAUL_CONSOLE_PORTS', '9-8'],
    ['BACKHAUL_CONSOLE_PORTS', '5000-65536'],
    ['BACKHAUL_FETCH_DENY', 'all'],
    ['BACKHAUL_STORAGE', 's3'],
    ['BACKHAUL_CORS_ORIGINS', 'https://a.example/'],
    ['BACKHAUL_CORS_ORIGINS', 'a.example'],
    ['BACKHAUL_LOG_LEVEL', 'INFO'],
  ] as const) {
    it(`refuses ${name}=${text}`, () => {
      assert.match(problemsOf({ [name]: text }).join(), new RegExp(`^${name} cannot be `))
    })
  }
})

describe('a secret', () => {
  it('may be given as a file, whose last line end is no part of it', () => {
    for (const end of ['', '\n', '\r\n']) {
      const config = readConfig({ BACKHAUL_ADMIN_PASSWORD_FILE: fileWith(` pass word \n${end}`) })
      assert.equal(config.adminPassword, end === '' ? ' pass word ' : ' pass word \n')
    }
  })

  it('may not be given in both ways', () => {
    const env = { BACKHAUL_SECRET_KEY: 'x'.repeat(16), BACKHAUL_SECRET_KEY_FILE: fileWith('y'.repeat(16)) }

    assert.deepEqual(problemsOf(env), ['BACKHAUL_SECRET_KEY and BACKHAUL_SECRET_KEY_FILE are both set: use one'])
  })

  it('is a problem when its file cannot be read or is empty', () => {
    assert.match(
      problemsOf({ BACKHAUL_SECRET_KEY_FILE: join(folder, 'none') }).join(),
      /^BACKHAUL_SECRET_KEY_FILE cannot be read: ENOENT/,
    )
    assert.deepEqual(problemsOf({ BACKHAUL_SECRET_KEY_FILE: fileWith('\n') }), [
      'BACKHAUL_SECRET_KEY cannot be what it is: it is a text',
    ])
  })

  it('is never shown in a problem', () => {
    const text = problemsOf({
      BACKHAUL_ADMIN_PASSWORD: 'hush',
      BACKHAUL_SECRET_KEY: 'hush',
      BACKHAUL_DATABASE_URL: 'hush',
    }).join()

    assert.doesNotMatch(text, /hush/)
  })

  it('is the only kind of setting that has a file', () => {
    const path = fileWith('/srv')

    assert.deepEqual(problemsOf({ BACKHAUL_DATA_FILE: path }), ['BACKHAUL_DATA_FILE is not a setting of Backhaul'])
    for (const option of Object.values(options)) {
      const problems = problemsOf({ [`${option.name}_FILE`]: path })
      assert.equal(
        problems.some((problem) => problem.endsWith('is not a setting of Backhaul')),
        !('secret' in option),
        option.name,
      )
    }
  })
})

describe('an unknown name', () => {
  for (const name of ['BACKHAUL_', 'BACKHAUL_DATE', 'BACKHAUL_ADMIN_PASSWORD_FILE_', 'BACKHAUL___proto__']) {
    it(`is a problem: ${name}`, () => {
      assert.deepEqual(problemsOf({ [name]: 'x' }), [`${name} is not a setting of Backhaul`])
    })
  }

  for (const name of [
    'BACKHAUL_URL',
    'BACKHAUL_USER',
    'BACKHAUL_PASSWORD',
    'BACKHAUL_TOKEN',
    'backhaul_data',
    'MY_BACKHAUL_DATA',
  ]) {
    it(`is none when others read it: ${name}`, () => {
      assert.deepEqual(problemsOf({ [name]: 'x' }), [])
    })
  }
})

describe('a combination', () => {
  for (const [what, env, problems] of [
    [
      'certificate without key',
      { BACKHAUL_TLS_CERT: '/c' },
      ['BACKHAUL_TLS_CERT and BACKHAUL_TLS_KEY must be set together'],
    ],
    ['certificate and key', { BACKHAUL_TLS_CERT: '/c', BACKHAUL_TLS_KEY: '/k' }, []],
    [
      'one address for both listeners',
      { BACKHAUL_API_LISTEN: 'x:80', BACKHAUL_CONTENT_LISTEN: 'x:80' },
      ['BACKHAUL_API_LISTEN and BACKHAUL_CONTENT_LISTEN must not be the same'],
    ],
    ['one host and any port for both', { BACKHAUL_API_LISTEN: 'x:0', BACKHAUL_CONTENT_LISTEN: 'x:0' }, []],
    [
      'one address, but only one listener',
      { BACKHAUL_API_LISTEN: 'x:80', BACKHAUL_CONTENT_LISTEN: 'x:80', BACKHAUL_ROLES: 'api,worker' },
      [],
    ],
  ] as const) {
    it(`is ${problems.length === 0 ? 'taken' : 'refused'}: ${what}`, () => {
      assert.deepEqual(problemsOf(env), problems)
    })
  }
})
