import { expect, it, onTestFinished } from 'vitest';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const call = { name: 'call_agent', arguments: { agent: 'kid', task: 'look' } };

/** An agent that calls another one, each played from a script of its own; the kid's model has a price of its own. */
async function project(config: string, kid = 'scripted/kid.json') {
  const script = (...turns: object[]) => JSON.stringify({ conversations: [{ turns }] });
  return tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "scripted/top.json"\nsub_agents = ["kid"]\n',
    'agents/kid.toml': `name = "kid"\nmodel = "${kid}"\n`,
    'top.json': script(
      { calls: [call], usage: { input_tokens: 100, output_tokens: 10, cache_write_tokens: 80 } },
      {
        text: 'done',
        usage: { input_tokens: 150, output_tokens: 5, cache_read_tokens: 80, cache_write_tokens: 50 },
      },
    ),
    'kid.json': script({ text: 'gold', usage: { input_tokens: 1_000_000, output_tokens: 0 } }),
    'config/cadre/config.toml': config,
  });
}

async function runJson(cwd: string): Promise<unknown> {
  const io = recordedIo(cwd, { env: { XDG_CONFIG_HOME: `${cwd}/config` } });
  await runAgent('top', { prompt: 'go', json: true }, io);
  return JSON.parse(io.out);
}

const PRICES = `
[prices."scripted/top.json"]
input = 3
output = 15
cache_read = 0.3
cache_write = 3.75
`;

it('a run and its tree say what they cost, turn by turn at the price of the model, and what came from a cache', async () => {
  const own = PRICES + '[prices."scripted/kid.json"]\ninput = 0.1\noutput = 1\n';
  expect(await runJson(await project(own))).toMatchObject({
    input_tokens: 250,
    // (20 x 3 + 80 x 3.75 + 10 x 15) + (20 x 3 + 80 x 0.3 + 50 x 3.75 + 5 x 15), for a million each.
    usd: 0.0008565,
    cache_read_tokens: 80,
    cache_write_tokens: 130,
    tree: { usd: 0.1008565, cache_read_tokens: 80, cache_write_tokens: 130 },
  });
});

it('where the price of one model is not known, that of the tree is not, and the others still say theirs', async () => {
  const server = await startModelServer([{ body: { choices: [{ message: { content: 'gold' } }] } }]);
  onTestFinished(() => server.close());
  const provider = `[providers.openai]\napi_key = "key"\nbase_url = "${server.url}"\n`;
  expect(await runJson(await project(PRICES + provider, 'openai/my-own'))).toMatchObject({
    status: 'succeeded',
    usd: 0.0008565,
    tree: { runs: 2, usd: null },
  });
});
