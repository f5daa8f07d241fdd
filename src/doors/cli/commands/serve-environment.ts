import { once } from 'node:events';
import { accessTo } from '../../api/local-access.ts';
import { startEnvironmentServer } from '../../api/environment-server.ts';
import { ConfigError } from '../../../errors.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';
import { API_DOORS, CLIENT_DOORS, servedText } from '../terminal/served-text.ts';

export interface ServeEnvironmentOptions {
  env: string;
  host: string;
  port: number;
}

/**
 * `cadre serve --env`: the page and the API of a deployed environment, until Ctrl-C. Browsers sign no requests; this
 * does, with the user's own credentials.
 * @returns the exit code
 */
export async function serveEnvironment(
  { env, host, port }: ServeEnvironmentOptions,
  io: RunIo,
): Promise<number> {
  const access = await accessTo(host, io.env['CADRE_TOKEN']);
  const [{ findDeployment }, { createSendSigned }] = await Promise.all([
    import('../../../places/aws/cloud-deployment.ts'),
    import('../../../places/aws/cloud-requests.ts'),
  ]);
  const { apiUrl, doorsUrl, region, takesSignatures } = await findDeployment(env);
  if (!takesSignatures) {
    throw new ConfigError(
      `the API of environment "${env}" takes tokens, and no signatures: with "console": true, it has the page itself, at ${apiUrl}`,
    );
  }
  const tell = (line: string) => io.stderr(`${oneLine(line)}\n`);
  const server = await startEnvironmentServer({
    environment: env,
    api: {
      service: 'API Gateway',
      permissions: 'execute-api:Invoke on the API',
      isRepeatable: true,
      url: apiUrl,
      send: createSendSigned('execute-api', region),
    },
    doors:
      doorsUrl === undefined
        ? undefined
        : {
            service: 'Lambda',
            permissions: 'lambda:InvokeFunctionUrl and lambda:InvokeFunction on the doors',
            isRepeatable: false,
            url: doorsUrl,
            send: createSendSigned('lambda', region),
          },
    access,
    port,
    now: Date.now,
    tell,
  });
  const isRead = io.terminal !== undefined;
  const doors = doorsUrl === undefined ? API_DOORS : [...API_DOORS, ...CLIENT_DOORS];
  servedText({ what: `environment "${env}"`, url: server.url, access, isRead, doors }).forEach(tell);
  if (!io.interrupted.aborted) await once(io.interrupted, 'abort');
  await server.close();
  return EXIT.success;
}
