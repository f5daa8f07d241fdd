import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Secrets } from '../../core/records/secrets.ts';
import { ownerKeyOf, ownerOf } from '../../core/records/owner.ts';
import { addressOf, takesSignIn, type ServerUrl, type ToolServer } from '../../core/records/tool-server.ts';
import { AgentError, ConfigError } from '../../errors.ts';
import { SIGN_IN_PATHS } from '../../places/aws/variables.ts';
import type { PendingSignIns } from '../../places/sign-ins.ts';
import type { Login, Logins } from '../../tools/mcp/ports.ts';
import { everyAgent } from './agents.ts';
import { defined } from '../../defined.ts';
import type { Disconnected, ServerList } from './answers.ts';
import type { AgentsContext } from './context.ts';
import { Problem } from './problem.ts';
import { parseBody } from './request.ts';
import { CameBack } from './sign-in-bodies.ts';

/** A server that people sign in to, as agents name it. */
interface SignedInTo {
  id: string;
  server: ToolServer;
  url: ServerUrl['url'];
  agents: string[];
}

/** The sign-ins of a caller. A person only has their own, whomever else they administer. */
interface OwnSignIns {
  logins: Logins & PendingSignIns;
  secrets: Secrets;
  /** How somebody signs in who cannot do so here, in words; undefined: they can. */
  howTo: string | undefined;
}

/** The servers that agents want a person to sign in to, and whether the caller has. */
export async function listServers(context: AgentsContext): Promise<ServerList> {
  const own = await ownSignIns(context);
  const servers = own === undefined ? [] : await serversIn(context);
  return {
    servers: await Promise.all(
      servers.map(async ({ id, server, url, agents }) => {
        const login = await own?.logins.read(url);
        return {
          id,
          name: server.name,
          host: new URL(url).host,
          agents,
          connected: login?.tokens !== undefined,
          ...(login?.lacks !== undefined && { lacks: login.lacks }),
          ...(own?.howTo !== undefined && { how_to: own.howTo }),
        };
      }),
    ),
  };
}

/** @returns where the caller signs in */
export async function connect(c: Context, id: string, context: AgentsContext): Promise<{ url: string }> {
  const { server, url } = await findServer(id, context);
  const { logins, secrets, howTo } = await requiredSignIns(context);
  if (howTo !== undefined) throw new Problem(409, `nobody comes back here who signs in elsewhere: ${howTo}`);
  const back = new URL(SIGN_IN_PATHS.callback, c.req.url);
  const clientMetadataUrl = new URL(SIGN_IN_PATHS.client, c.req.url).href;
  return inWords(async () => {
    const { beginSignIn } = await import('../../tools/mcp/client/sign-in.ts');
    const { url: address, begun } = await beginSignIn(server, secrets, await logins.read(url), {
      redirectUrl: back.href,
      // Authorization servers read it there, which they can do with a public address alone.
      ...(back.protocol === 'https:' && { clientMetadataUrl }),
    });
    await logins.keep(url, begun);
    return { url: address };
  });
}

/** Ends a sign-in that the same caller has begun: the state of another's is unknown. */
export async function complete(c: Context, context: AgentsContext): Promise<{ id: string }> {
  const { state, ...cameBack } = await parseBody(c, CameBack);
  const { logins, secrets } = await requiredSignIns(context);
  const taken = await logins.take(state);
  const found = (await serversIn(context)).find(({ url }) => url === taken?.url);
  if (taken === undefined || found === undefined) {
    throw new Problem(409, 'this was not begun by you within the last ten minutes: connect once more');
  }
  return inWords(async () => {
    const { completeSignIn } = await import('../../tools/mcp/client/sign-in.ts');
    const login: Login = await completeSignIn(found.server, secrets, taken.begun, cameBack);
    await logins.update(found.url, async () => login);
    return { id: found.id };
  });
}

/** Forgets the caller's tokens, and then has the authorization server forget them, too. */
export async function disconnect(id: string, context: AgentsContext): Promise<Disconnected> {
  const { server } = await findServer(id, context);
  const { logins, secrets } = await requiredSignIns(context);
  const { signOut } = await import('../../tools/mcp/client/sign-out.ts');
  const { notRevoked } = await signOut(server, secrets, logins);
  return { id, ...defined({ not_revoked: notRevoked }) };
}

async function ownSignIns({ caller, signIns }: AgentsContext): Promise<OwnSignIns | undefined> {
  const all = await signIns?.();
  const logins = await all?.of(caller === undefined ? undefined : ownerKeyOf(ownerOf(caller)));
  if (all === undefined || logins === undefined) return undefined;
  return { logins, secrets: all.secrets, howTo: caller === undefined ? all.howToForPlace : undefined };
}

async function requiredSignIns(context: AgentsContext): Promise<OwnSignIns> {
  const own = await ownSignIns(context);
  if (own === undefined) throw new Problem(404, 'nobody signs in to servers here');
  return own;
}

/** By their addresses: each is one server, however many agents use it. */
async function serversIn({ source }: AgentsContext): Promise<SignedInTo[]> {
  const { agents } = await everyAgent(source);
  const found = new Map<string, SignedInTo>();
  for (const { name, agent } of agents) {
    for (const server of agent.mcpServers.filter(takesSignIn)) {
      const url = addressOf(server);
      const id = createHash('sha256').update(url).digest('hex').slice(0, ID_CHARACTERS);
      const known = found.get(url) ?? { id, server, url, agents: [] };
      found.set(url, known);
      known.agents.push(name);
    }
  }
  return [...found.values()];
}

const ID_CHARACTERS = 16;

async function findServer(id: string, context: AgentsContext): Promise<SignedInTo> {
  const found = (await serversIn(context)).find((each) => each.id === id);
  if (found === undefined) throw new Problem(404, `there is no server ${JSON.stringify(id)} to sign in to`);
  return found;
}

/** A sign-in fails because of another server, or the person's own decision. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof AgentError || thrown instanceof ConfigError) throw new Problem(422, thrown.message);
    throw thrown;
  }
}
