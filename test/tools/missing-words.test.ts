import { expect, test } from 'vitest';
import type { Plan } from '../../src/core/records/plan.ts';
import { anOpened } from '../fixtures/records.ts';
import { askUser } from '../../src/tools/ask-user.ts';
import { fork } from '../../src/tools/agents/fork.ts';
import { wait } from '../../src/tools/agents/wait.ts';
import { subAgent } from '../../src/tools/delegation/sub-agent.ts';
import { fetchUrlTool } from '../../src/tools/fetch-url.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/built-in.ts';
import type { ToolContext } from '../../src/core/tool-contracts/tool.ts';

const call = (args: Record<string, unknown>) => ({ id: 'c1', name: 'x', arguments: args });

test.each([
  ['fork', fork, { prompt: ' ' }, 'Missing required parameter: prompt'],
  ['sub_agent', subAgent, {}, 'Missing required parameter: prompt'],
  ['ask_user', askUser, { question: null }, 'Missing required parameter: question'],
])('%s tells a model what it has left out', (_, tool, args, text) => {
  expect(tool.plan(call(args), anOpened())).toEqual({ kind: 'done', text, isError: true });
});

test.each<[unknown, string[] | undefined]>([
  [' a , b,a,', ['a', 'b']],
  ['["a", \'b\']', ['a', 'b']],
  [
    ['a', ' ', 7],
    ['a', '7'],
  ],
  ['', undefined],
  [undefined, undefined],
])('wait reads the agents that a model names as %j', (given, from) => {
  const planned: Plan = wait.plan(call({ from_agents: given, timeout: 5 }), anOpened());
  expect(planned).toEqual({ kind: 'wait', seconds: 5, ...(from !== undefined && { from }) });
});

/** With what these tools need, and no more. */
function within(parts: { [part in keyof ToolContext]?: unknown }): ToolContext {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of it is for other tools
  return { signal: new AbortController().signal, allowedHosts: [], ...parts } as unknown as ToolContext;
}

test('a letter without words is not sent', async () => {
  const agents = within({ agents: {} });
  const send = async (body: string) => BUILT_IN_TOOLS.get('mail_send')?.run({ to: 'a', body }, agents);
  expect(await send(' \n')).toEqual({ text: 'Message body cannot be empty', isError: true });
});

test('a page without words is told of, and one that led elsewhere', async () => {
  const fetched = (text: string, url: string) => within({ fetchUrl: async () => ({ text, url }) });
  const url = 'https://docs.example.com/';
  const read = async (context: ToolContext) => (await fetchUrlTool.run({ url: ` ${url}` }, context)).text;
  expect(await read(fetched(' \n', url))).toBe('(the page is empty)');
  expect(await read(fetched('words', `${url}b`))).toBe(`[led to ${url}b]\n\nwords`);
});
