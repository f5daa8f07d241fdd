import { expect, test } from 'vitest';
import type { ToolRules } from '../../../src/core/records/call.ts';
import { WorkspaceError, type Workspace } from '../../../src/core/agent-schema/workspace.ts';
import { loadPermissions } from '../../../src/core/tool-contracts/permissions.ts';
import {
  isNamed,
  mayShow,
  refusalInPlace,
  refusalToFollow,
} from '../../../src/core/tool-contracts/permissions-in-place.ts';

const definition = (name: string) => ({ name, description: '', parameters: { type: 'object' as const } });
const read = { definition: definition('read_file'), writes: false, subjectIs: 'path' as const };
const write = { definition: definition('write_file'), writes: true, subjectIs: 'path' as const };
const search = { definition: definition('grep'), writes: false, subjectIs: 'path' as const };
const fetch = { definition: definition('fetch_url'), writes: false, subjectIs: 'address' as const };
const permissions = async (given: Partial<ToolRules> | undefined) =>
  given &&
  loadPermissions({ mode: 'auto', allow: [], ask: [], deny: [], allowedHosts: [], ...given }, [
    read,
    write,
    search,
    fetch,
  ]);

const denied = (tool: string, rule: string) => `Permission denied: "${tool}" is denied by the rule ${rule}.`;
/** In which every path is a link to `target`. */
const linked = (target: string | WorkspaceError) =>
  ({
    realPath: async () => {
      if (target instanceof WorkspaceError) throw target;
      return target;
    },
  }) satisfies Pick<Workspace, 'realPath'>;

test.each<
  [string, typeof read, Partial<ToolRules> | undefined, string | WorkspaceError, boolean, string | undefined]
>([
  ['nothing forbids it', read, {}, 'b', false, undefined],
  ['there are no rules', write, undefined, '.env', false, undefined],
  ['its path is denied', read, { deny: ['read_file(a)'] }, 'b', false, denied('read_file', 'read_file(a)')],
  [
    'its target is denied',
    read,
    { deny: ['read_file(.env)'] },
    '.env',
    true,
    denied('read_file', 'read_file(.env)'),
  ],
  [
    'nothing can be reached',
    read,
    { deny: ['read_file(.env)'] },
    new WorkspaceError('missing', 'a'),
    false,
    undefined,
  ],
  ['a person has approved it', write, { mode: 'ask' }, 'b', true, undefined],
])('a call is made, or refused, where %s', async (_, tool, rules, target, isApproved, refusal) => {
  const held = await permissions(rules);
  expect(await refusalInPlace(tool, { text: 'a' }, held, linked(target), isApproved)).toBe(refusal);
});

test('a call whose path needs approval behind a link is refused without one', async () => {
  const rules = await permissions({ ask: ['write_file(b)'] });
  const workspace = linked('b');
  const said = await Promise.all(
    [false, true].map((isApproved) => refusalInPlace(write, { text: 'a' }, rules, workspace, isApproved)),
  );
  expect(said).toEqual([expect.stringContaining('write_file'), undefined]);
  // Nothing but a path is followed.
  const asking = await permissions({ ask: ['fetch_url(b)'] });
  expect(
    await refusalInPlace(fetch, { text: 'https://x.example/' }, asking, workspace, false),
  ).toBeUndefined();
});

test.each<[Partial<ToolRules> | undefined, string | undefined]>([
  [undefined, undefined],
  [{}, undefined],
  [{ ask: ['fetch_url'] }, 'it needs approval, so it has to be fetched by a call of its own'],
  [{ deny: ['fetch_url'] }, denied('fetch_url', 'fetch_url')],
])('a redirect is followed as rules have it: %j', async (rules, refusal) => {
  expect(refusalToFollow(fetch, 'https://x.example/', await permissions(rules))).toBe(refusal);
});

test.each<[string, Partial<ToolRules> | undefined, boolean, boolean]>([
  ['there are no rules', undefined, false, true],
  ['nothing is said of it', {}, false, true],
  ['what shows it may not', { deny: ['grep(.env)'] }, true, false],
  ['it may not be read', { deny: ['read_file(.env)'] }, true, false],
  ['reading it needs approval', { ask: ['read_file(.env)'] }, true, false],
  ['what shows it was approved', { ask: ['grep'] }, true, true],
  ['what shows it was not approved', { ask: ['grep'] }, false, false],
  ['nothing may be read at all, so that rules are of what shows it', { deny: ['read_file'] }, false, true],
])('contents of a file are shown, or not, where %s', async (_, rules, isApproved, isShown) => {
  expect(mayShow(search, '.env', await permissions(rules), isApproved)).toBe(isShown);
});

test.each<[string, string, boolean]>([
  ['write_file(agents/a.toml)', 'agents/a.toml', true],
  ['write_file(agents/*.toml)', 'agents/a.toml', true],
  ['write_file(agents/b.toml)', 'agents/a.toml', false],
  ['write_file(**/a.toml)', 'agents/a.toml', false],
  ['write_file(**)', 'agents/a.toml', false],
  ['write_file', 'agents/a.toml', false],
  ['edit_file(agents/a.toml)', 'agents/a.toml', false],
  ['write_file(cadre.toml)', 'cadre.toml', true],
  ['write_file(*.toml)', 'cadre.toml', false],
  ['write_file(./*.toml)', 'cadre.toml', false],
])('the rule %s names %s, or only fits it', async (rule, path, isSo) => {
  expect(isNamed(write, path, await permissions({ allow: ['read_file', rule] }))).toBe(isSo);
  expect(isNamed(write, path, undefined)).toBe(false);
});
