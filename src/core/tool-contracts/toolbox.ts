import type { ToolTarget } from '../records/call.ts';
import type { ToolDefinition } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import { errorOutput } from './error-output.ts';
import type { LoadOwnTools, OwnTools } from './own-tools.ts';
import { loadPermissions, type Permissions } from './permissions.ts';
import type { Tool } from './tool.ts';

/** The tools that a run may use of all that exist. */
export type Offer = Pick<Opened, 'delegation' | 'rules' | 'servers' | 'targets' | 'tools' | 'withheld'>;

/** The tools of a conversation, loaded: judging, planning and gating their calls waits for nothing. */
export interface Toolbox extends Pick<OwnTools, 'planned'> {
  /** The tool that the conversation knows by a name; undefined where it was not offered one, or it is there no more. */
  named(name: string): Tool | undefined;
  /** The permissions that its calls are held to; undefined where there are no rules. */
  permissions: Permissions | undefined;
}

/**
 * Loads the tools of a conversation, as far as they are needed.
 * @param names of the wanted ones; absent: all that the conversation has
 */
export async function loadTools(
  offer: Pick<Offer, 'delegation' | 'rules' | 'servers' | 'targets' | 'tools'> & Pick<Opened, 'skills'>,
  load: LoadOwnTools,
  names: readonly string[] = [...offer.tools.map(({ name }) => name), ...(offer.delegation.ways ?? [])],
): Promise<Toolbox> {
  const own = await load(names.filter((name) => targetOf(name, offer) === undefined));
  const named = (name: string) => toolNamed(name, offer, own);
  const permissions =
    offer.rules &&
    (await loadPermissions(
      offer.rules,
      names.flatMap((name) => named(name) ?? []),
      offer.skills,
    ));
  return { named, planned: own.planned, permissions };
}

/** The tool that a run knows by a name; undefined where it was not offered one, or it is there no more. */
export function toolNamed(
  name: string,
  offer: Pick<Offer, 'servers' | 'targets' | 'tools'>,
  own: Pick<OwnTools, 'carriedOut'>,
): Tool | undefined {
  const definition = offer.tools.find((tool) => tool.name === name);
  if (definition === undefined) return undefined;
  const target = targetOf(name, offer);
  return target === undefined ? own.carriedOut(name) : toTool(definition, target, offer.servers ?? {});
}

function targetOf(name: string, { targets = {} }: Pick<Offer, 'targets'>): ToolTarget | undefined {
  return Object.hasOwn(targets, name) ? targets[name] : undefined;
}

/** A function of the user's, or a tool of a server: permissions match neither by its arguments. */
function toTool(
  definition: ToolDefinition,
  target: ToolTarget,
  servers: NonNullable<Offer['servers']>,
): Tool {
  const { seconds, isRepeatable, writes } = target;
  return {
    definition,
    writes,
    isRepeatable,
    seconds: () => seconds,
    subject: () => undefined,
    subjectIs: 'address',
    async run(args, context) {
      if (target.kind === 'function') {
        const { callFunction } = await import('./call-function.ts');
        return callFunction(definition, target, args, context);
      }
      const { name } = definition;
      const server = Object.hasOwn(servers, target.server) ? servers[target.server] : undefined;
      if (context.servers === undefined || server === undefined) {
        return errorOutput(`${name} cannot be called here`);
      }
      const { tool, mirrored } = target;
      const { owner, signal } = context;
      return context.servers.call(server, {
        tool,
        mirrored,
        name,
        owner,
        arguments: args,
        isRepeatable,
        signal,
      });
    },
  };
}
