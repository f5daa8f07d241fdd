import { describe, expect, test } from 'vitest';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { StoreError } from '../../../src/errors.ts';
import { withoutClosingLine } from '../../fixtures/closing-line.ts';
import { startModelServer, type Reply } from '../../fixtures/model-server.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { call, openStage } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const said = (content: string): Reply => ({ body: { message: { content }, done_reason: 'stop' } });
const delegates: Reply = {
  body: {
    message: {
      content: '',
      tool_calls: [{ function: { name: 'call_agent', arguments: { agent: 'kid', task: 'x' } } }],
    },
  },
};

/** Runs an agent of Ollama with a sub-agent, against a server that gives these replies. */
async function run(replies: Reply[]) {
  const server = await startModelServer(replies);
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "ollama/llama3.2"\nsub_agents = ["kid"]\n',
    'agents/kid.toml': 'name = "kid"\nmodel = "ollama/llama3.2"\n',
  });
  const io = recordedIo(cwd, { env: { CADRE_OLLAMA_BASE_URL: server.url } });
  try {
    const code = await runAgent('top', { prompt: 'go' }, io);
    return { code, out: io.out, err: withoutClosingLine(io.err), server };
  } finally {
    await server.close();
  }
}

describe('a model that', () => {
  const faults: [string, Reply, RegExp][] = [
    ['answers what is no JSON', { body: '<html>busy</html>' }, /^server: failed to parse response: .+$/],
    ['answers half a JSON', { body: '{"message":{"content":"hal' }, /^server: failed to parse response: .+$/],
    ['answers JSON of another shape', { body: { message: 7 } }, /^server: failed to parse response: .+$/],
    ['answers nothing', { body: '' }, /^server: failed to parse response: .+$/],
    [
      'is cut off in mid-answer',
      { cutAfter: '{"message":{"con' },
      /^server: connection to .+ lost in mid-answer: .+$/,
    ],
    ['fails', { status: 500, body: { error: 'out of memory' } }, /^server: out of memory$/],
  ];
  test.each(faults)('%s fails the run with code 3 and a reason', async (_, reply, reason) => {
    const { code, out, err } = await run([reply]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/^Error: agent "top": [^\n]+\n$/);
    expect(err.slice('Error: agent "top": '.length, -1)).toMatch(reason);
  });

  test.each(faults)('%s fails a sub-agent, whose parent is told why', async (_, reply, reason) => {
    const { code, out, err, server } = await run([delegates, reply, said('without it')]);
    expect({ code, out, err }).toEqual({ code: 0, out: 'without it', err: '' });
    const told = JSON.stringify(server.requests.at(-1)?.body);
    const [, given = ''] = /sub-agent \\"kid\\" failed - (.*)\. You may retry or proceed/.exec(told) ?? [];
    expect(JSON.parse(`"${given}"`)).toMatch(reason);
  });

  test('writes arguments that are no JSON object is told what is missing', async () => {
    const broken: Reply = {
      body: { message: { tool_calls: [{ function: { name: 'call_agent', arguments: '{"agent": "k' } }] } },
    };
    const { out, server } = await run([broken, said('I see')]);
    expect(out).toBe('I see');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(
      'the arguments of this call are no whole JSON object',
    );
  });
});

describe('a store that cannot be used', () => {
  const agent = { 'agents/top.toml': 'name = "top"\nmodel = "offline/extractive"\n' };

  test.each([
    ['whose folder is a file', { '.cadre/store': 'a file' }],
    ['whose file is no store', { '.cadre/store/store.mdb': 'x'.repeat(100_000) }],
    ['whose file is a folder', { '.cadre/store/store.mdb/x': '' }],
  ])('%s is a fault of the store', async (_, files) => {
    const io = recordedIo(await tempFolder({ ...agent, ...files }));
    const running = runAgent('top', { prompt: 'go' }, io);
    await expect(running).rejects.toThrow(StoreError);
    await expect(running).rejects.toThrow('.cadre/store');
  });

  test('for one large answer fails the run that gave it, and not its parent', async () => {
    const stage = await openStage(
      {
        top: ({ turn, results }) => (turn === 1 ? [call('kid', 'x')] : results.join()),
        kid: () => 'x'.repeat(100_000),
      },
      { top: 'sub_agents = ["kid"]\n' },
      { '.cadre/blobs/run': 'a file' },
    );
    const { code, out, tree } = await stage.run();
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Error: sub-agent "kid" failed - .+\/blobs\/run is a regular file, not a folder; move it away\. You may retry or /,
    );
    expect(tree.map(({ failure }) => failure?.error)).toEqual([undefined, 'StoreError']);
  });
});
