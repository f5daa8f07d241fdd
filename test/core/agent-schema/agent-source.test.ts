import { expect, test } from 'vitest';
import {
  AgentFileError,
  AgentNotFoundError,
  type AgentSource,
  faultsOf,
  faultText,
} from '../../../src/core/agent-schema/agent-source.ts';

const source = (known: string[] | Error, folders?: string[]) => ({
  list: () => (known instanceof Error ? Promise.reject(known) : Promise.resolve(known)),
  read: () => Promise.resolve(undefined),
  readSkill: () => Promise.resolve(undefined),
  ...(folders && { folders }),
});

test.each<[AgentSource, string]>([
  [source([]), ''],
  [source([], []), ''],
  [source(new Error('no folder')), ''],
  [source(['other']), ''],
  [source(['digest', 'other']), '; did you mean "digest"?'],
  [source(['other'], ['./agents']), '; searched: ./agents'],
  [source(['digest'], ['./agents', '~/agents']), '; did you mean "digest"? searched: ./agents, ~/agents'],
  [source([], ['./agents']), '; searched: ./agents (no agents yet; begin with: cadre init)'],
  [source(new Error('no folder'), ['./agents']), '; searched: ./agents'],
  // A link that leads nowhere is listed, and cannot be read.
  [source(['digst'], ['./agents']), '; searched: ./agents'],
  [
    { ...source(['own'], ['./agents', '~/agents']), above: async () => '..' },
    '; searched: ./agents, ~/agents (there are agents in ../agents; first: cd ..)',
  ],
])('a person reads where an agent was looked for, and what may have been meant: %#', async (of, hint) => {
  const error = new AgentNotFoundError('digst', of);
  expect([error.message, await faultText(error)]).toEqual([
    'agent config not found: digst',
    `agent config not found: digst${hint}`,
  ]);
});

test('all faults of a file are told, and of other errors the message', async () => {
  const error = new AgentFileError('a:1:1: no', 'a', { more: ['a:2:1: nor this'] });
  expect([faultsOf(error), faultsOf(new Error('x')), await faultText(error)]).toEqual([
    ['a:1:1: no', 'a:2:1: nor this'],
    ['x'],
    'a:1:1: no',
  ]);
  expect(new AgentFileError('a:1:1: no', 'a').more).toEqual([]);
});
