import { fillIn, type Secrets } from '../../../core/records/secrets.ts';
import { whatIs } from '../../../core/agent-schema/targets.ts';
import { authSecrets, sentWith, type ToolServer } from '../../../core/records/tool-server.ts';
import type { TomlPath } from '../../../parse-toml.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import type { FileClaim } from './claim.ts';

/** That the secrets are there which functions refer to. */
export function functionSecrets({ functions }: Agent, secrets: Secrets): FileClaim[] {
  return functions.flatMap(({ name, target: { source } }, index) =>
    'file' in source ? claims(['functions', index, 'env'], source.env, `function "${name}"`, secrets) : [],
  );
}

/** That the secrets are there which servers refer to. */
export function serverSecrets({ mcpServers, remoteAgents }: Agent, secrets: Secrets): FileClaim[] {
  const claimed = (table: string) => (server: ToolServer, index: number) => {
    const key = server.reach.kind === 'url' ? 'headers' : 'env';
    const whose = `${whatIs(server)} "${server.name}"`;
    return [
      ...claims([table, index, key], sentWith(server), whose, secrets),
      ...claims([table, index], authSecrets(server), whose, secrets),
    ];
  };
  return [...mcpServers.flatMap(claimed('mcp_servers')), ...remoteAgents.flatMap(claimed('remote_agents'))];
}

function claims(
  path: TomlPath,
  written: Record<string, string> = {},
  whose: string,
  secrets: Secrets,
): FileClaim[] {
  return Object.entries(written).map(([name, text]) => ({
    path: [...path, name],
    check: () => fillIn({ [name]: text }, whose, secrets),
  }));
}
