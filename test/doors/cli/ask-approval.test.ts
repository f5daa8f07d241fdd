import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  approvalAnswer,
  EDIT,
  type ApprovalPromptPorts,
  type AskedApproval,
} from '../../../src/doors/cli/commands/ask-approval.ts';
import { aTurn } from '../../fixtures/records.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import type { Plan } from '../../../src/core/records/plan.ts';

const given = { path: 'a', content: 'whole' };

/** A person at a terminal, who types and edits. @param edit a command of the shell, which gets the name of the file */
async function atTerminal({ edit = 'true', reason }: { edit?: string; reason?: string | undefined } = {}) {
  const cwd = await tempFolder({});
  const done: unknown[] = [];
  const asked: AskedApproval = {
    run: 'top-1',
    turn: 2,
    call: 2,
    choices: ['approve', 'deny', 'always'],
    approval: { tool: 'write_file', arguments: { path: 'a', content: 'who…' } },
  };
  const calls = [{}, given].map((each, index) => ({ id: `${index}`, name: 'write_file', arguments: each }));
  const plans: Plan[] = calls.map(() => ({ kind: 'start', agent: 'a', name: 'a', task: '', gate: true }));
  const env: Record<string, string> = { PATH: process.env['PATH'] ?? '', EDITOR: edit };
  const ports: ApprovalPromptPorts = {
    records: {
      turn: async (run, turn) =>
        run === 'top-1' && turn === 2 ? aTurn({ answer: { calls }, plans }) : undefined,
      decision: () => expect.fail(),
      opened: async () => undefined,
      withheldResult: () => expect.fail(),
      withheldTurn: () => expect.fail(),
    },
    live: {
      above: (text) => void done.push(text),
      async aside(work) {
        done.push('aside');
        return work();
      },
    },
    prompter: {
      ask: () => expect.fail(),
      close: () => expect.fail(),
      pause: () => void done.push('pause'),
      resume: () => void done.push('resume'),
    },
    async askMore(...words) {
      done.push(words);
      return reason;
    },
    cwd,
    env,
  };
  const drafts = new Map<AskedApproval, string>();
  return {
    asked,
    cwd,
    done,
    drafts,
    env,
    ports,
    type: (typed: string) => approvalAnswer(asked, typed, drafts, ports),
  };
}

test.each(['approve', 'always', 'deny it is late', '2 and more'])(
  '%s is an answer as it stands',
  async (typed) => {
    const { done, type } = await atTerminal();
    expect([await type(typed), done]).toEqual([{ text: typed }, []]);
  },
);

test.each([
  ['it is late', { text: 'deny it is late' }],
  ['', { text: 'deny' }],
  [undefined, undefined],
])('a denial asks for a reason: %j', async (reason, answer) => {
  const { done, type } = await atTerminal({ reason });
  // The number of the choice.
  expect([await type('2'), done]).toEqual([
    answer,
    [['why not write_file? The agent reads the reason', 'Enter answers; without a reason, it only denies']],
  ]);
});

const PAUSED = ['pause', 'aside', 'resume'];

test.each([' edit ', EDIT, '4'])(
  '%j opens the arguments, as the model wrote them, in an editor',
  async (typed) => {
    const { cwd, done, type } = await atTerminal({ edit: `sed -i -e 'w seen' -e s/whole/other/` });
    expect(await type(typed)).toEqual({ text: 'approve', arguments: { path: 'a', content: 'other' } });
    expect(await readFile(join(cwd, 'seen'), 'utf8')).toBe(`${JSON.stringify(given, undefined, 2)}\n`);
    expect(done).toEqual(PAUSED);
  },
);

test('what the record of the turn lacks is edited as it was asked about', async () => {
  const { asked, drafts, ports } = await atTerminal({ edit: 'sed -i s/who/you/' });
  const elsewhere = { ...asked, call: 3 };
  expect(await approvalAnswer(elsewhere, EDIT, drafts, ports)).toEqual({
    text: 'approve',
    arguments: { path: 'a', content: 'you…' },
  });
});

test('arguments that were left as they are approve nothing', async () => {
  const { done, type } = await atTerminal({ edit: 'echo >>' });
  expect([await type(EDIT), done]).toEqual([
    undefined,
    [...PAUSED, 'the arguments are as they were; nothing is approved yet\n'],
  ]);
});

test('a text that cannot be used is edited further', async () => {
  const { asked, cwd, done, drafts, env, type } = await atTerminal({ edit: 'sed -i s/}//' });
  await expect(type(EDIT)).rejects.toThrow(
    'the edited text must be a JSON object, and is none at 5:1; choose "edit the arguments" to go on with it',
  );
  await expect(type(EDIT)).rejects.toThrow('the edited text must be a JSON object');
  env['EDITOR'] = 'exit 3; true';
  await expect(type(EDIT)).rejects.toThrow(
    '$EDITOR (exit 3; true) ended with code 3; type the arguments after "approve"; your text is kept for another try',
  );
  drafts.delete(asked);
  delete env['EDITOR'];
  await expect(type(EDIT)).rejects.toThrow(
    /^\$EDITOR environment variable is not set; type the arguments after "approve"$/,
  );
  await writeFile(join(cwd, 'list'), '[]');
  env['EDITOR'] = 'cp list';
  await expect(type(EDIT)).rejects.toThrow('the edited text must be a JSON object, such as ');
  expect(done).toEqual([PAUSED, PAUSED, PAUSED, PAUSED, PAUSED].flat());
});
