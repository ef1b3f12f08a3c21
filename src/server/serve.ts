import { type App, startApp } from '../app.ts'
import { type Environment, readConfig } from '../config.ts'
import { createLogger } from '../platform/log.ts'

/**
 * Runs the server until SIGTERM or SIGINT, or until its database is lost. A second signal gives up waiting.
 *
 * @returns the exit code
 */
export async function serve(env: Environment): Promise<number> {
  const config = readConfig(env)
  const logger = createLogger(config.logLevel)
  const stop = new AbortController()
  const stopped = Promise.withResolvers<number>()
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130)
      stop.abort(new Error(`stopped by ${name}`))
      stopped.resolve(0)
    })
  }
  await using app = await startApp(config, { logger, signal: stop.signal })
  announce(app)
  app.lost.then((end) => {
    logger.fatal({ end }, 'the embedded database is gone: stopping')
    stopped.resolve(1)
  })
  return await stopped.promise
}

/** What a person who started the server wants to know; logs go to standard error. */
function announce({ apiUrl, contentUrl, passwordFile }: App): void {
  const lines = [
    'Backhaul is ready.',
    ...(apiUrl === undefined ? [] : [`  API and documentation  ${apiUrl}   (${apiUrl}/docs)`]),
    ...(contentUrl === undefined ? [] : [`  Published content      ${contentUrl}`]),
    ...(passwordFile === undefined ? [] : [`  Log in as "admin" with the password in ${passwordFile}`]),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
