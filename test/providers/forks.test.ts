import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import type { ModelRequest } from '../../src/core/model/model.ts';
import type { Message } from '../../src/core/records/message.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { openStage, use, type Asked, type Role } from '../fixtures/stage.ts';
import { running } from './requests.ts';
import { modelAt, WIRES, type Wire } from './wires.ts';

/** The message that a fork begins with, after all that it inherits. */
const isOwnFirst = (message: Message | undefined) =>
  message?.role === 'user' && message.text.includes('forked by');

/** How often an agent has been forked, by what it was sent. */
const generation = ({ request }: Asked) => request.messages.filter(isOwnFirst).length;

/**
 * What agents are sent that fork, each with the first request of the copy that they make: at the first turn, after the
 * results of calls, and copies of a copy.
 */
async function forks(): Promise<{ parent: ModelRequest; fork: ModelRequest }[]> {
  const forking = () => [use('fork', { prompt: 'Do the other half.' })];
  const top: Role = (asked) => {
    const { turn } = asked;
    if (generation(asked) === 0) {
      if (turn === 2) return { text: 'I look.', calls: [use('glob', { pattern: '*' }), use('glob', {})] };
      return turn === 4 ? [use('wait', { timeout: 60 })] : turn > 4 ? 'all done' : forking();
    }
    return generation(asked) === 1 && isOwnFirst(asked.request.messages.at(-1)) ? forking() : 'done';
  };
  const stage = await openStage(
    { top },
    { top: 'tools = ["fork", "files:read"]\nsystem_prompt = "You are thorough."\n' },
    { 'a.txt': 'one' },
  );
  await stage.run();
  const firsts = stage.asked.filter(({ request }) => isOwnFirst(request.messages.at(-1)));
  return firsts.flatMap(({ request: fork }) => {
    const inherited = JSON.stringify(fork.messages.slice(0, -1));
    const parent = stage.asked.find(({ request }) => JSON.stringify(request.messages) === inherited);
    return parent === undefined ? [] : [{ parent: parent.request, fork }];
  });
}

/** The parts of a request that a wire carries. */
async function bodyOf(wire: Wire, strictRoles: boolean, { model: _model, ...request }: ModelRequest) {
  const server = await startModelServer([{ body: wire.plain }]);
  onTestFinished(() => server.close());
  const { model, name } = await modelAt(server.url, wire, strictRoles);
  await model.send({ ...request, model: name, ...wire.request }, running);
  const { messages, input, ...fixed } = v.parse(Body, server.requests[0]?.body);
  return { fixed: withoutMarkers(fixed), blocks: (messages ?? input ?? []).flatMap(toBlocks) };
}

const Messages = v.array(v.record(v.string(), v.unknown()));
const Body = v.looseObject({ messages: v.optional(Messages), input: v.optional(Messages) });

/** The blocks of a message, each with whose it is, and without the markers of caches, which move on. */
function toBlocks({ content, ...message }: Record<string, unknown>): unknown[] {
  const blocks = Array.isArray(content) ? content : [{ text: content }];
  return blocks
    .map(withoutMarkers)
    .filter((block) => JSON.stringify(block) !== '{}')
    .map((block) => [message, block]);
}

function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers).filter((each) => JSON.stringify(each) !== '{}');
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'cache_control' && key !== 'cachePoint');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutMarkers(inner)]));
}

let played: ReturnType<typeof forks> | undefined;

test.each(
  Object.entries(WIRES).flatMap(([name, wire]) =>
    [false, true].map((strict) => ({ name, wire, strict, roles: strict ? 'strict roles' : 'any roles' })),
  ),
)(
  'on $name with $roles, a fork is sent what its parent was sent, and then its own',
  async ({ wire, strict }) => {
    const pairs = await (played ??= forks());
    const lengths = pairs.map(({ parent }) => parent.messages.length);
    expect(lengths.sort((one, other) => one - other)).toEqual([1, 2, 5, 6]);
    for (const pair of pairs) {
      const parent = await bodyOf(wire, strict, pair.parent);
      const fork = await bodyOf(wire, strict, pair.fork);
      expect(fork.fixed).toEqual(parent.fixed);
      // Texts that follow each other may be one: then the parent's is its beginning.
      const last = parent.blocks.length - 1;
      expect(fork.blocks.slice(0, last)).toEqual(parent.blocks.slice(0, last));
      const [inherited = '', own = ''] = [parent, fork].map(({ blocks }) =>
        JSON.stringify(blocks.slice(last)),
      );
      expect(own.startsWith(inherited.replace(/["}\]]*$/, ''))).toBe(true);
      expect(own.slice(inherited.length - 10)).toContain('Do the other half.');
    }
  },
);
