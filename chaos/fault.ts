import { runAgent } from '../src/doors/cli/commands/run.ts';
import { EXIT } from '../src/doors/cli/terminal/exit-code.ts';
import { openLocalStore } from '../src/places/local/local-store.ts';
import { recordedIo } from '../test/fixtures/recorded-io.ts';
import { startModelServer, type Reply } from '../test/fixtures/model-server.ts';
import { WIRES, type Wire } from '../test/providers/wires.ts';
import type { Campaign, Trial } from './campaign.ts';

/** Those over which this machine can be asked: Bedrock's takes the AWS SDK with an environment of its own. */
const ASKED = Object.entries(WIRES).filter(([name]) => name !== 'bedrock');

const BUDGET = 5_000;

interface Fault {
  what: string;
  reply: Reply;
  /** Tokens that it costs; undefined where it does not say. */
  cost: number | undefined;
  /** Whether the request is never sent again. */
  isFinal?: boolean;
}

/** The answers that a faulty server can give. */
function faultOf({ empty, odd, usage, counted }: Wire, trial: Trial): Fault {
  const cost = counted.inputTokens + counted.outputTokens;
  const status = trial.pick([400, 401, 403, 404, 413, 429, 500, 502, 503, 529]);
  const asked = trial.pick<Record<string, string>>([{}, { 'retry-after': '1' }, { 'retry-after': 'soon' }]);
  const unusable = JSON.stringify({ ...empty, ...usage });
  return trial.pick<Fault>([
    {
      what: `status ${status}`,
      reply: {
        status,
        headers: asked,
        body: trial.pick<unknown>([{ error: { message: 'no' } }, '<html>', '']),
      },
      cost: 0,
      isFinal: status < 429,
    },
    { what: 'nothing in it', reply: { body: { ...empty, ...usage } }, cost },
    { what: 'of another shape', reply: { body: { ...odd, ...usage } }, cost },
    { what: 'an error with usage', reply: { body: { error: 'it ended', ...usage } }, cost },
    { what: 'no usage', reply: { body: empty }, cost: undefined },
    { what: 'no JSON', reply: { body: '<html>busy</html>' }, cost: undefined },
    { what: 'nothing at all', reply: { body: '' }, cost: undefined },
    {
      what: 'half',
      reply: { body: unusable.slice(0, trial.number(1, unusable.length - 1)) },
      cost: undefined,
    },
    {
      what: 'cut',
      reply: { cutAfter: unusable.slice(0, trial.number(0, unusable.length)) },
      cost: undefined,
    },
  ]);
}

async function attack(trial: Trial): Promise<string[]> {
  const [name, wire] = trial.pick(ASKED);
  const faults = Array.from({ length: trial.number(0, 3) }, () => faultOf(wire, trial));
  const plain: Fault = {
    what: 'an answer',
    reply: { body: { ...wire.plain, ...wire.usage } },
    cost: wire.counted.inputTokens + wire.counted.outputTokens,
  };
  const served: Fault[] = [];
  const server = await startModelServer(({ path }) => {
    if (/count.tokens$/.test(path)) return { status: 404, body: {} };
    const next = faults[served.length] ?? plain;
    served.push(next);
    return next.reply;
  });
  trial.defer(() => server.close());
  const retries = trial.number(0, 2);
  const isNested = trial.number(0, 1) === 1;
  const provider = wire.model.slice(0, wire.model.indexOf('/'));
  const api = wire.request?.api === undefined ? '' : `api = "${wire.request.api}"\n`;
  const asked =
    `model = "${wire.model}"\n[params]\nmax_tokens = 500\n${api}` +
    `[retry]\nmax_retries = ${retries}\nbackoff = "fixed"\ninitial_delay_ms = 1\n`;
  const budget = `[budget]\nmax_tokens = ${BUDGET}\n`;
  const cwd = await trial.folder({
    'no-config/cadre/config.toml': `[providers.${provider}]\napi_key = "a-key"\nbase_url = "${server.url}"\n`,
    'agents/top.toml': isNested
      ? `name = "top"\nmodel = "scripted/top.toml"\nsub_agents = ["kid"]\n${budget}`
      : `name = "top"\n${asked}${budget}`,
    'agents/kid.toml': `name = "kid"\n${asked}`,
    'top.toml':
      '[[conversations]]\n[[conversations.turns]]\ncalls = [{ name = "call_agent", arguments = { agent = "kid", task = "go" } }]\n[[conversations.turns]]\ntext = "{{results}}"\n',
  });
  const io = recordedIo(cwd);
  const code = await runAgent('top', { prompt: 'go' }, io);

  const broken: string[] = [];
  const answer = served.at(-1) === plain;
  const expected: number[] = isNested || answer ? [EXIT.success] : [EXIT.api, EXIT.agent];
  if (code !== EXIT.budget && !expected.includes(code)) broken.push(`exit code ${code}: ${io.err}`);
  if (answer && code === EXIT.success && io.out !== 'Done.') broken.push(`the answer is ${io.out}`);
  if (io.err.includes('\n    at ')) broken.push(`a stack: ${io.err}`);
  if (served.length > 1 + retries) broken.push(`asked ${served.length} times with ${retries} retries`);
  const again = served.slice(0, -1).filter(({ isFinal = false }) => isFinal);
  broken.push(...again.map(({ what }) => `asked again after ${what}`));

  const { runs, close } = await openLocalStore(cwd);
  try {
    for await (const { id } of runs.roots(1)) {
      const tree = await runs.tree(id);
      const open = tree.filter(({ status }) => status === 'running');
      broken.push(...open.map((run) => `${run.id} is left running`));
      const ledgers = await Promise.all(tree.map((run) => runs.ledger(run.id)));
      const spent = ledgers.reduce((sum, ledger) => sum + (ledger?.used.tokens ?? 0), 0);
      const known = served.reduce((sum, { cost = 1 }) => sum + cost, 0);
      if (spent < known) broken.push(`charged ${spent} tokens of ${known}`);
      // One call can cost more than was reserved, as the provider counts.
      if (known > BUDGET + (plain.cost ?? 0)) broken.push(`spent ${known} tokens of ${BUDGET}`);
    }
  } finally {
    await close();
  }
  return broken.map((one) => `${name}, ${served.map(({ what }) => what).join(', then ')}: ${one}`);
}

export const FAULT: Campaign = {
  name: 'fault',
  tries: "faults of providers, on each of three providers' wires",
  open: () => Promise.resolve({ attack, close: async () => {} }),
};
