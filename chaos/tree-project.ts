import * as v from 'valibot';
import { openLocalStore } from '../src/places/local/local-store.ts';
import type { Run } from '../src/core/records/run.ts';
import { byName, nameOf, type Conversation } from '../test/fixtures/conversation-trees.ts';
import { spawnCommand, type Command } from '../test/fixtures/command.ts';
import { startModelServer } from '../test/fixtures/model-server.ts';
import type { Trial } from './campaign.ts';

const Request = v.object({
  messages: v.array(v.object({ role: v.string(), content: v.string() })),
});

/** A folder with an agent that calls itself, and the server of its model, which plays conversations. */
export interface TreeProject {
  cwd: string;
  /** Turns that were asked for, in order: `top.1-2 1` is the first turn of a conversation. */
  asked: string[];
  cadre(...args: string[]): Command;
  /** The tops, newest first, with what is below them and the turns that are kept of it. */
  kept(): Promise<{ top: Run; tree: Run[]; turns: string[] }[]>;
  /** Called whenever a turn is asked for. */
  onAsked(listener: () => void): void;
}

/** @param conversations of the tops, by the prompt that asks for them */
export async function openTreeProject(
  conversations: ReadonlyMap<string, Conversation>,
  trial: Trial,
): Promise<TreeProject> {
  const all = new Map([...conversations].flatMap(([name, of]) => [...byName(name, of)]));
  const asked: string[] = [];
  const listeners: (() => void)[] = [];
  const server = await startModelServer(({ body }) => {
    const { messages } = v.parse(Request, body);
    const name = messages[0]?.content.replace('Task: ', '') ?? '';
    const turn = 1 + messages.filter(({ role }) => role === 'assistant').length;
    const answers = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
    const results = answers.filter(({ role }) => role === 'tool').map(({ content }) => content);
    const children = all.get(name)?.turns[turn - 1];
    asked.push(`${name} ${turn}`);
    for (const listener of listeners) listener();
    const calls = children?.map((_, index) => ({
      function: { name: 'call_agent', arguments: { agent: 'top', task: nameOf(name, turn, index) } },
    }));
    const message =
      calls === undefined ? { content: `${name}(${results.join()})` } : { content: '', tool_calls: calls };
    return { body: { message, done_reason: 'stop' } };
  });
  trial.defer(() => server.close());
  const cwd = await trial.folder({
    'agents/top.toml':
      'name = "top"\nmodel = "ollama/top"\nsub_agents = ["top"]\n[sub_agents_config]\nmax_depth = 3\n',
  });
  return {
    cwd,
    asked,
    onAsked: (listener) => void listeners.push(listener),
    cadre(...args) {
      const command = spawnCommand(args, cwd, { CADRE_OLLAMA_BASE_URL: server.url });
      trial.defer(() => command.process.kill('SIGKILL'));
      return command;
    },
    async kept() {
      const { runs, close } = await openLocalStore(cwd);
      try {
        const tops = [];
        for await (const top of runs.roots(100)) {
          const tree = await runs.tree(top.id);
          const turns = await Promise.all(
            tree.map(async ({ id, task }) => (await runs.turns(id)).map(({ number }) => `${task} ${number}`)),
          );
          tops.push({ top, tree, turns: turns.flat() });
        }
        return tops;
      } finally {
        await close();
      }
    },
  };
}
