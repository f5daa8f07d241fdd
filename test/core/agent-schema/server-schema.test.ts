import { expect, test } from 'vitest';
import { checkDeployedAgent } from '../../../src/authoring/loading/check-deployed-agent.ts';
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';

function parse(servers: string) {
  const text = `name = "a"\nmodel = "offline/extractive"\n${servers}`;
  return parseAgent('a', { path: 'agents/a.toml', root: '/', bytes: new TextEncoder().encode(text) });
}

const server = (keys: string) => `[[mcp_servers]]\n${keys}\n`;
const NAMED = 'name = "docs"\n';

test('a server has every key in its place', async () => {
  const { agent, warnings } = await parse(
    server(`name = "docs"
url = "https://docs.example.com/mcp"
headers = { Authorization = "Bearer \${DOCS_TOKEN}", X-Team = "a" }
tools = ["search"]
disallowed_tools = ["drop"]
read_only = ["search"]
timeout = 5
required = false`) +
      server('name = "local"\ncommand = "npx"\nargs = ["-y", "x"]\nenv = { TOKEN = "${T}" }\ncwd = "sub"'),
  );
  expect(warnings).toEqual([]);
  expect(agent.mcpServers).toEqual([
    {
      name: 'docs',
      reach: {
        kind: 'url',
        url: 'https://docs.example.com/mcp',
        headers: { Authorization: 'Bearer ${DOCS_TOKEN}', 'X-Team': 'a' },
      },
      tools: ['search'],
      disallowedTools: ['drop'],
      readOnly: ['search'],
      timeout: 5,
      required: false,
    },
    {
      name: 'local',
      reach: { kind: 'command', command: 'npx', args: ['-y', 'x'], env: { TOKEN: '${T}' }, cwd: 'sub' },
      tools: [],
      disallowedTools: [],
      readOnly: [],
      timeout: 60,
      required: true,
    },
  ]);
});

test('a server that wants a sign-in has what that needs', async () => {
  const keys =
    'client_id = "a"\nclient_secret = "${S}"\nissuer = "https://i.example"\nscopes = ["b", "c"]\ninstructions = true';
  const loaded = await parse(
    server(`${NAMED}${HTTPS}auth = "client_credentials"\n${keys}`) +
      server(`name = "other"\nurl = "http://127.0.0.1:1/mcp"\nauth = "oauth"`),
  );
  expect(loaded.agent.mcpServers).toMatchObject([
    {
      reach: {
        kind: 'url',
        auth: {
          kind: 'client_credentials',
          clientId: 'a',
          clientSecret: '${S}',
          issuer: 'https://i.example',
          scope: 'b c',
        },
      },
      instructions: true,
    },
    { reach: { kind: 'url', headers: {}, auth: { kind: 'oauth' } } },
  ]);
  expect(Object.keys(loaded.agent.mcpServers[1]?.reach ?? {})).toEqual(['kind', 'url', 'headers', 'auth']);
});

test('an unknown key is named with its place and the one that was meant', async () => {
  await expect(parse(server(`${NAMED}url = "https://x.example"\nread_onyl = ["a"]`))).rejects.toThrow(
    'agents/a.toml:6:1: unknown key "mcp_servers[0].read_onyl", did you mean "mcp_servers.read_only"?',
  );
});

const HTTPS = 'url = "https://x.example"\n';
const COMMAND = 'command = "x"\n';
test.each<[string, string]>([
  ['url = "https://x.example"', '3:3: mcp_servers[0].name is missing'],
  [
    'name = "a__b"\nurl = "https://x.example"',
    '4:8: mcp_servers[0].name is at most 32 letters, digits, "-" and "_", with no "__" and no "_" at either end',
  ],
  [NAMED, '3:3: mcp_servers[0] takes exactly one of url and command'],
  [`${NAMED}${HTTPS}${COMMAND}`, '3:3: mcp_servers[0] takes exactly one of url and command'],
  [`${NAMED}url = "ftp://x"`, '5:7: mcp_servers[0].url must be an http or https URL'],
  [
    `${NAMED}url = "http://docs.example.com"`,
    '5:7: mcp_servers[0].url must begin with https://: http is for servers on this machine',
  ],
  [
    `${NAMED}url = "https://me:canary@x.example"`,
    '5:7: mcp_servers[0].url must hold no password: send a header with ${NAME}',
  ],
  [`${NAMED}${HTTPS}env = { A = "b" }`, '6:7: mcp_servers[0].env is for a server with a command'],
  [`${NAMED}${HTTPS}args = ["b"]`, '6:8: mcp_servers[0].args is for a server with a command'],
  [`${NAMED}${COMMAND}headers = { A = "b" }`, '6:11: mcp_servers[0].headers is for a server with a url'],
  [
    `${NAMED}${HTTPS}headers = { "a b" = "c" }`,
    '6:21: mcp_servers[0].headers.a b is not the name of a header',
  ],
  [
    `${NAMED}${HTTPS}headers = { A = "b\\r\\nC: d" }`,
    '6:17: mcp_servers[0].headers.A has characters that no header can have',
  ],
  [`${NAMED}${COMMAND}env = { "A-B" = "c" }`, '6:17: mcp_servers[0].env.A-B is not the name of a variable'],
  [
    `${NAMED}${HTTPS}headers = { Authorization = "Bearer canary" }`,
    '6:29: mcp_servers[0].headers.Authorization looks like a secret: write ${NAME}, and keep the value in the environment or in [secrets] of config.toml',
  ],
  [
    `${NAMED}${COMMAND}env = { KEY = "\${OPENAI_API_KEY}" }`,
    '6:15: mcp_servers[0].env.KEY takes ${OPENAI_API_KEY}, which is for models and AWS and is given to no server: keep the value under another name',
  ],
  [
    `${NAMED}${HTTPS}client_id = "a"\nclient_secret = "b"`,
    '6:13: mcp_servers[0].client_id is for a server with auth',
  ],
  [`${NAMED}${HTTPS}client_secret = "b"`, '6:17: mcp_servers[0].client_secret is for a server with auth'],
  [`${NAMED}${COMMAND}auth = "oauth"`, '6:8: mcp_servers[0].auth is for a server with a url'],
  [
    `${NAMED}${HTTPS}headers = { AUTHORIZATION = "Bearer \${T}" }\nauth = "oauth"`,
    '7:8: mcp_servers[0].auth is one way to be let in, and the header Authorization another: leave one out',
  ],
  ...['client_id = "a"', 'client_secret = "${S}"', ''].map((key): [string, string] => [
    `${NAMED}${HTTPS}auth = "client_credentials"\n${key}`,
    '6:8: mcp_servers[0].auth "client_credentials" takes client_id and client_secret',
  ]),
  [
    `${NAMED}${HTTPS}auth = "oauth"\nclient_id = "a"\nclient_secret = "canary"`,
    '8:17: mcp_servers[0].client_secret must be ${NAME}, with its value in the environment or in [secrets] of config.toml',
  ],
  [
    `${NAMED}${HTTPS}timeout = 841`,
    '6:11: mcp_servers[0].timeout cannot exceed 840: a function of Lambda runs for 15 minutes',
  ],
  [
    `${NAMED}${HTTPS}[[mcp_servers]]\n${NAMED}${COMMAND}`,
    '7:8: mcp_servers[1].name "docs" is the name of another server',
  ],
])('%j is refused with its place', async (keys, fault) => {
  await expect(parse(server(keys))).rejects.toThrow(`agents/a.toml:${fault}`);
  await expect(parse(server(keys))).rejects.not.toThrow('canary');
});

test('a value of the wrong type is refused, and a secret is not repeated', async () => {
  await expect(parse(server(`${NAMED}${HTTPS}headers = "x"`))).rejects.toThrow(
    'agents/a.toml:6:11: mcp_servers[0].headers must be a table',
  );
  await expect(parse('mcp_servers = "x"')).rejects.toThrow(
    'agents/a.toml:3:15: mcp_servers must be an array of tables',
  );
});

test('a server that an account cannot start or reach is refused by name when the stack is synthesised', async () => {
  const loaded = await parse(
    server(`name = "one"\n${COMMAND}`) +
      server('name = "two"\nurl = "http://localhost:3000/mcp"') +
      server(`${NAMED}${HTTPS}`),
  );
  const { errors } = await checkDeployedAgent(loaded, NO_PORTS);
  expect(errors).toEqual([
    'agents/a.toml:5:11: server "one" is a command, which an account cannot start: give it a url',
    'agents/a.toml:9:7: server "two" exists on this machine only: an account cannot reach it',
  ]);
});

test('where each person has a sign-in of their own, a server that wants one takes a page', async () => {
  const loaded = await parse(server(`${NAMED}${HTTPS}auth = "oauth"\n`));
  const faults = await Promise.all(
    [true, false].map(
      async (lacksPage) => (await checkDeployedAgent(loaded, { ...NO_PORTS, lacksPage })).errors,
    ),
  );
  expect(faults).toEqual([
    [expect.stringMatching(/^agents\/a\.toml:5:7: each person signs in to server ".+" on the page/)],
    [],
  ]);
});

const NO_PORTS = {
  source: { list: async () => [], read: async () => undefined, readSkill: async () => undefined },
  skillsIn: async () => [],
  checkModule: async () => undefined,
};
