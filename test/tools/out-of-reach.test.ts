import { expect, test } from 'vitest';
import { NO_WORKSPACE } from '../../src/core/lifecycle/no-workspace.ts';
import type { ToolContext } from '../../src/core/tool-contracts/tool.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/built-in.ts';

/** A place with nothing in reach. */
const NOWHERE: ToolContext = {
  workspace: NO_WORKSPACE,
  seen: { version: async () => 'one', note: async () => {} },
  mayShow: () => true,
  mayChange: async () => true,
  refusalToFollow: () => undefined,
  allowedHosts: [],
  owner: undefined,
  resultPath: 'result',
  signal: new AbortController().signal,
  tell: () => {},
};

test('every tool says in words for the model that what it needs is out of its reach', async () => {
  const args = { path: 'a', pattern: 'a', content: 'a', old_string: 'a', new_string: 'b' };
  const inWords = async (names: readonly string[], words: (name: string) => string) => {
    const outputs = names.map(async (name) => [name, await BUILT_IN_TOOLS.get(name)?.run(args, NOWHERE)]);
    expect(Object.fromEntries(await Promise.all(outputs))).toEqual(
      Object.fromEntries(names.map((name) => [name, { text: `Error: ${words(name)}`, isError: true }])),
    );
  };
  await inWords(
    ['kill', 'list_agents', 'mail_check', 'mail_delete', 'mail_filter', 'mail_read', 'mail_send'],
    (name) => `${name} reaches no agents here`,
  );
  await inWords(
    ['memory_forget', 'memory_save', 'memory_search'],
    (name) => `${name} reaches no memory here`,
  );
  await inWords(['fetch_url'], () => 'fetch_url does not work here');
  await inWords(['run_command'], () => 'run_command works in local runs only');
  await inWords(['web_search'], () => 'web_search does not work here: no provider is set up for it');
  await inWords(['git_diff'], () => 'the working directory is not a git repository');
  await inWords(
    ['delete_file', 'edit_file', 'git_log', 'glob', 'grep', 'list_directory', 'read_file', 'write_file'],
    () => '"a" cannot be used: calls that reach agents reach no files',
  );
});
