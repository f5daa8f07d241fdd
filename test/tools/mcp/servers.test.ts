import { describe, expect, it } from 'vitest';
import type { ServerCall } from '../../../src/core/tool-contracts/tool.ts';
import { openToolServers, startToolServer, toolServer, type Speech } from '../../fixtures/tool-server.ts';

function call(
  tool: string,
  args: ServerCall['arguments'] = {},
  others: Partial<ServerCall> = {},
): ServerCall {
  return {
    tool,
    name: `mcp__docs__${tool}`,
    arguments: args,
    owner: undefined,
    isRepeatable: false,
    signal: AbortSignal.timeout(20_000),
    ...others,
  };
}

const TOOLS = ['die', 'echo', 'environment', 'hang', 'picture', 'pid', 'secret', 'structured', 'wrong'];

const WAYS: [string, () => Promise<{ url: string } | { args: string[] }>][] = [
  ...(['sessions', 'legacy', 'modern', 'both'] as Speech[]).map((speech): (typeof WAYS)[number] => [
    `HTTP, ${speech}`,
    () => startToolServer(speech),
  ]),
  ...['--legacy', '--modern', '--both'].map((era): (typeof WAYS)[number] => [
    `stdio, ${era}`,
    async () => ({ args: [era] }),
  ]),
];

describe.each(WAYS)('over %s', (_, start) => {
  it('lists what a server offers and carries out its calls', async () => {
    const server = toolServer(await start());
    const servers = openToolServers();
    const { tools, notes } = await servers.list(server);
    expect(tools.map(({ name }) => name).sort()).toEqual(TOOLS);
    expect(tools.find(({ name }) => name === 'echo')).toEqual({
      name: 'echo',
      definition: {
        name: 'mcp__docs__echo',
        description: 'Says it again',
        parameters: {
          type: 'object',
          properties: { word: { type: 'string', description: 'A word' } },
          required: ['word'],
        },
      },
    });
    expect(notes).toEqual([]);
    expect(await servers.call(server, call('echo', { word: 'hi' }))).toEqual({ text: 'echo: hi' });
    expect(await servers.call(server, call('structured'))).toEqual({ text: '{"found":2}' });
    expect(await servers.call(server, call('wrong'))).toEqual({ text: 'no such city', isError: true });
    expect(await servers.call(server, call('picture'))).toEqual({
      text: 'here\n[image/png, 12 KB, left out]\n[file:///a.txt, a link, left out]\n[file:///b.txt]\nb',
    });
    expect(await servers.call(server, call('no-such-tool'))).toEqual({
      text: expect.stringMatching(/^Error: mcp__docs__no-such-tool failed - .*no-such-tool/),
      isError: true,
    });
  });
});

it.each(['legacy', 'modern'] as const)('a server is told who asks, in the %s era', async (speech) => {
  const { url, arrived } = await startToolServer(speech);
  await openToolServers().list(toolServer({ url }));
  expect(arrived.map(({ body }) => body).join('\n')).toMatch(/clientInfo":\{"name":"cadre","version":"1"\}/);
});
