import { seconds } from '../records/times.ts';
import * as v from 'valibot';
import { secretsNamed } from '../records/secrets.ts';
import type { ServerAuth, ToolServer } from '../records/tool-server.ts';
import { countUpTo, flag, pathItem, required, text, textsByName, texts, uniqueNames } from './key-types.ts';
import { secretFault, variableFault } from './variable-faults.ts';

/**
 * A Lambda function runs for 15 minutes at most, and needs time to connect before a call and to store its result
 * afterwards.
 */
const MAX_TIMEOUT_SECONDS = 840;
const DEFAULT_TIMEOUT_SECONDS = 60;

/** Its name is part of those of its tools, of which providers take 64 characters. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_)){0,31}(?<!_)$/;

function serverName() {
  return v.pipe(
    v.string('a string'),
    v.regex(NAME, '{key} is at most 32 letters, digits, "-" and "_", with no "__" and no "_" at either end'),
  );
}

const AUTH = ['none', 'oauth', 'client_credentials'] as const;

const server = v.object(
  {
    name: v.pipe(
      serverName(),
      v.description('What the server is called here: its tools are mcp__<name>__<tool>.'),
    ),
    url: text('Where the server answers, for one that speaks Streamable HTTP.'),
    headers: textsByName('Headers for a `url`. ${NAME} stands for a secret.'),
    auth: v.optional(
      v.pipe(
        v.picklist(AUTH, AUTH.map((kind) => `"${kind}"`).join(', ')),
        v.description(
          'How a `url` gives tokens: to a person who signs in with cadre mcp login, or to the client itself.',
        ),
      ),
      'none',
    ),
    client_id: text('The client for `auth`. Empty: it registers itself.'),
    client_secret: text('Its secret, as ${NAME}.'),
    issuer: text('The authorization server that the secret is for. Empty: the one that the server names.'),
    scopes: texts('What tokens are asked for. Empty: what the server wants.'),
    command: text('What starts the server on this machine, for one that speaks over stdio: local runs only.'),
    args: texts('The arguments of `command`.'),
    env: textsByName(
      'Variables for `command`, which is given no others of yours but PATH and the like. ${NAME} stands for a secret.',
    ),
    cwd: text(
      'The folder that `command` starts in, relative to where cadre runs. Empty means that folder itself.',
    ),
    tools: texts('The tools that are wanted of the server, by its own names. Empty means all.'),
    disallowed_tools: texts('Tools that are not wanted.'),
    read_only: texts('Tools that change nothing: their calls run at once, and are allowed in mode plan.'),
    timeout: countUpTo(
      MAX_TIMEOUT_SECONDS,
      'Seconds for each call of one of its tools. 0 means 60.',
      ': a function of Lambda runs for 15 minutes',
    ),
    required: flag('Whether a run fails if the server does not answer. Else its tools are left out.', true),
    instructions: flag("Whether the server's own instructions become part of the system prompt.", false),
  },
  '{key} is missing',
);
type WrittenServer = v.InferOutput<typeof server>;

/** `[[mcp_servers]]` of the agent file: servers of tools, which speak the Model Context Protocol. */
export const serversSchema = v.optional(
  v.pipe(
    v.array(v.pipe(server, v.rawCheck(check), v.transform(toServer)), 'an array of tables'),
    uniqueNames('is the name of another server'),
    v.description('Servers of tools, which speak the Model Context Protocol.'),
  ),
  [],
);

const remoteAgent = v.object(
  {
    name: v.pipe(serverName(), v.description('What the agent is called here, by call_agent too.')),
    url: required('Where its card is, or the address below which that is.'),
    headers: textsByName('Headers for each request. ${NAME} stands for a secret.'),
  },
  '{key} is missing',
);

/** The rest of a server, which a remote agent has not. */
const NO_TOOLS = {
  auth: 'none',
  client_id: '',
  client_secret: '',
  issuer: '',
  scopes: [],
  command: '',
  args: [],
  env: {},
  cwd: '',
  tools: [],
  disallowed_tools: [],
  read_only: [],
  timeout: 0,
  required: false,
  instructions: false,
} satisfies Partial<WrittenServer>;

/** `[[remote_agents]]` of the agent file: agents of others, which speak Agent2Agent, as servers of another protocol. */
export const remoteAgentsSchema = v.optional(
  v.pipe(
    v.array(
      v.pipe(
        remoteAgent,
        v.transform((written): WrittenServer => ({ ...written, ...NO_TOOLS })),
        v.rawCheck(check),
        v.transform((written): ToolServer => ({
          ...toServer(written),
          reach: { kind: 'url', protocol: 'a2a', url: written.url, headers: written.headers },
        })),
      ),
      'an array of tables',
    ),
    uniqueNames('is the name of another remote agent'),
    v.description('Agents of others, which speak Agent2Agent: sub-agents of this one.'),
  ),
  [],
);

function check({ dataset, addIssue }: v.RawCheckContext<WrittenServer>): void {
  if (!dataset.typed) return;
  const written = dataset.value;
  const complain = (
    message: string | undefined,
    key: keyof WrittenServer,
    ...inside: v.UnknownPathItem[]
  ) => {
    if (message !== undefined) addIssue({ message, path: [pathItem(written, key), ...inside] });
  };
  if ((written.url === '') === (written.command === '')) {
    addIssue({ message: '{key} takes exactly one of url and command' });
    return;
  }
  const foreign = written.url === '' ? (['headers'] as const) : (['args', 'env', 'cwd'] as const);
  for (const key of foreign) {
    if (Object.keys(written[key]).length === 0) continue;
    complain(`{key} is for a server with a ${key === 'headers' ? 'url' : 'command'}`, key);
  }
  if (written.url !== '') complain(urlFault(written.url), 'url');
  for (const [name, value] of Object.entries(written.headers)) {
    complain(
      headerFault(name, value) ?? secretFault(name, value, 'server'),
      'headers',
      pathItem(written.headers, name),
    );
  }
  const [fault, key] = authFault(written) ?? [];
  if (key !== undefined) complain(fault, key);
  for (const [name, value] of Object.entries(written.env)) {
    complain(variableFault(name, value, 'server'), 'env', pathItem(written.env, name));
  }
}

function authFault({
  auth,
  url,
  headers,
  client_id: id,
  client_secret: secret,
}: WrittenServer): [fault: string, key: keyof WrittenServer] | undefined {
  if (auth === 'none') {
    return id + secret === ''
      ? undefined
      : ['{key} is for a server with auth', id === '' ? 'client_secret' : 'client_id'];
  }
  if (url === '') return ['{key} is for a server with a url', 'auth'];
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) {
    return ['{key} is one way to be let in, and the header Authorization another: leave one out', 'auth'];
  }
  if (auth === 'client_credentials' && (id === '' || secret === '')) {
    return ['{key} "client_credentials" takes client_id and client_secret', 'auth'];
  }
  const isWritten = secret !== '' && secretsNamed([secret]).length === 0;
  return isWritten
    ? [
        '{key} must be ${NAME}, with its value in the environment or in [secrets] of config.toml',
        'client_secret',
      ]
    : undefined;
}

function urlFault(written: string): string | undefined {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return '{key} must be an http or https URL';
  // The URL is not repeated where it holds a password.
  if (url.username !== '' || url.password !== '')
    return '{key} must hold no password: send a header with ${NAME}';
  if (url.protocol === 'https:' || isOnThisMachine(url)) return undefined;
  return '{key} must begin with https://: http is for servers on this machine';
}

/** Whether a URL leads nowhere but to the machine itself. */
export function isOnThisMachine({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function headerFault(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return '{key} is not the name of a header';
  return /[^\t\x20-\x7e]/.test(value) ? '{key} has characters that no header can have' : undefined;
}

function toServer(written: WrittenServer): ToolServer {
  const { name, url, headers, command, args, env, cwd, tools, timeout } = written;
  return {
    name,
    reach:
      url === ''
        ? { kind: 'command', command, args, env, cwd }
        : {
            kind: 'url',
            url,
            headers,
            ...(written.auth !== 'none' && { auth: toAuth(written.auth, written) }),
          },
    tools,
    disallowedTools: written.disallowed_tools,
    readOnly: written.read_only,
    timeout: seconds(timeout || DEFAULT_TIMEOUT_SECONDS),
    required: written.required,
    ...(written.instructions && { instructions: true }),
  };
}

function toAuth(
  kind: ServerAuth['kind'],
  { client_id: id, client_secret: secret, issuer, scopes }: WrittenServer,
): ServerAuth {
  return {
    kind,
    ...(id !== '' && { clientId: id }),
    ...(secret !== '' && { clientSecret: secret }),
    ...(issuer !== '' && { issuer }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
}
