import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Opened } from '../../../core/records/opened.ts';
import { keepingOutput } from '../../../core/turn/kept-output.ts';
import type { LivePorts } from '../../../core/turn/begun-answer.ts';
import type { Commands } from '../../../core/tool-contracts/tool.ts';
import { workspacePrefix } from '../cloud-workspace.ts';
import { BUCKET_PREFIX, ENVIRONMENT, required } from '../variables.ts';
import { SandboxSettings } from './protocol.ts';
import type { SandboxClients } from './sandbox-commands.ts';

/**
 * The commands of conversations in a deployed function.
 * @param json as the stack has set it
 */
export function openFunctionSandbox(json: string, ports: LivePorts) {
  const settings = v.parse(v.pipe(v.string(), v.parseJson(), SandboxSettings), json);
  const bucket = required(ENVIRONMENT.bucket);
  let clients: SandboxClients | undefined;

  /** What a conversation's commands run on; undefined where it has no sandbox. */
  function commandsOf(opened: Opened): Commands | undefined {
    const { workdir = '', root, rules } = opened;
    if (rules?.sandbox === undefined) return undefined;
    const { sandbox } = rules;
    const prefix = workspacePrefix(workdir, opened);
    const digest = createHash('sha256').update(prefix).digest('hex').slice(0, 12);
    const rest = `${BUCKET_PREFIX.sandbox}${root}/${digest}/`;
    return {
      // Most calls are of other tools.
      async run(command, options) {
        const { sandboxClients, sandboxCommands } = await import('./sandbox-commands.ts');
        clients ??= sandboxClients();
        const place = { settings, bucket, prefix, rest, root, sandbox };
        return sandboxCommands(place, clients).run(command, options);
      },
    };
  }

  return { commandsOf, live: keepingOutput(ports) };
}
