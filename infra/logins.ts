import { Construct } from 'constructs';
import type { LoadedAgent } from '../src/core/agent-schema/agent-source.ts';
import { takesSignIn } from '../src/core/records/tool-server.ts';
import { LOGINS_SECRET, PAGE_URL } from '../src/places/aws/variables.ts';
import type { Api } from './api.ts';
import { EnvironmentSecret } from './environment-secret.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import type { Functions } from './functions.ts';
import type { Store } from './store.ts';

export interface LoginsProps {
  settings: EnvironmentSettings;
  store: Store;
  functions: Pick<Functions, 'api' | 'open' | 'tool'>;
  api: Api;
}

/**
 * The key that seals sign-ins to servers, which lie in the table. Those who use tokens read it, and the API, through which
 * people sign in; no other function knows a token.
 */
export class Logins extends Construct {
  readonly secretArn: string;

  constructor(scope: Construct, id: string, { settings, store, functions, api: httpApi }: LoginsProps) {
    super(scope, id);
    const { open, tool, api } = functions;
    const key = new EnvironmentSecret(this, 'Key', {
      settings,
      description: `Seals sign-ins to servers, environment ${settings.name}; with another key, all have to sign in again`,
      variable: LOGINS_SECRET,
      generated: 'key',
    });
    key.openTo([open, tool, api], scope, 'LoginsSecret');
    store.openLoginsFor(api);
    this.secretArn = key.secret.secretArn;
    if (!settings.console) return;
    httpApi.openCallback();
    for (const one of [open, tool, api]) one.addEnvironment(PAGE_URL, httpApi.url);
  }
}

/** What of the servers that people sign in to an environment has to know: whether there are any, and any with a secret. */
export function signInsOf(agents: Iterable<Pick<LoadedAgent, 'agent'>>): {
  any: boolean;
  withSecret: boolean;
} {
  const servers = [...agents].flatMap(({ agent }) => agent.mcpServers.filter(takesSignIn));
  const hasSecret = servers.some(
    ({ reach }) => reach.kind === 'url' && reach.auth?.clientSecret !== undefined,
  );
  return { any: servers.length > 0, withSecret: hasSecret };
}
