import * as v from 'valibot';
import { describe, expect, test, vi } from 'vitest';
import { runCommandLine } from '../../src/doors/cli/command-line.ts';
import { EvalReport } from '../../src/core/reports/eval-report.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { latch } from '../fixtures/stage.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { typed } from '../fixtures/typed.ts';
import type { Role } from './converse.ts';
import { rehearsal } from './deployed.ts';

const agent = (name: string, more = '') =>
  `name = "${name}"\nmodel = "bedrock/anthropic.claude-${name}"\n${more}`;
export const AGENTS = {
  medic: agent('medic', 'patience = "1d"\nsub_agents = ["searcher"]\ntools = ["ask_user"]\n'),
  searcher: agent('searcher'),
  hurried: agent('hurried'),
  // Its model is that of the judge, which no agent has otherwise.
  referee: agent('referee'),
};

/** Two cases are asked about before either is answered. */
const both = latch();
let begun = 0;
/** Holds the case `slow` until the evaluation has been broken off. */
const slowAsked = latch();
const goOn = latch();
/** The first words of the conversations in which models were asked. */
const asked: string[] = [];

export const ROLES: Record<string, Role> = {
  async medic({ turn, message, results }) {
    asked.push(`medic ${message} ${turn}`);
    if (message.startsWith('pair')) {
      begun += 1;
      if (begun === 2) both.open();
      await both.opened;
    }
    if (message.startsWith('slow') && turn === 1) {
      slowAsked.open();
      await goOn.opened;
    }
    if (turn > 1) return `it is ${results.map(({ text }) => text).join()}`;
    if (message === 'ask') return [{ tool: 'ask_user', input: { question: 'Which volume?' } }];
    return [{ call: 'searcher', task: message }];
  },
  searcher: () => 'volume 7',
  hurried({ message }) {
    asked.push('hurried');
    return message.includes('Which volume?') && message.includes('volume 9 is full') ? 'volume 9' : 'no idea';
  },
  referee: () => '{"score": 2, "reason": "it names no remedy"}',
};

const EVALUATION = `
agent = "medic"
concurrency = 2
thresholds = { pass = 0.5 }
judge = { model = "bedrock/anthropic.claude-referee" }

[[cases]]
name = "first"
prompt = "pair one"
expect = [{ contains = "volume 7" }, { calls = "call_agent" }, { turns_at_most = 2 }]

[[cases]]
name = "second"
prompt = "pair two"
expect = [{ contains = "volume 8" }, { judge = "names a remedy" }, { file = "out.txt" }]

[[cases]]
name = "asking"
prompt = "ask"
person = "hurried"
knows = "volume 9 is full"
expect = [{ contains = "volume 9" }]
`;

const SLOW = `
agent = "medic"
concurrency = 1
[[cases]]
name = "quick"
prompt = "quick"
expect = [{ contains = "volume 7" }]
[[cases]]
name = "slow"
prompt = "slow"
expect = [{ contains = "volume 7" }]
`;

const Json = v.pipe(v.string(), v.parseJson(), EvalReport);
const inEnvironment = (file: string) => ['eval', file, '--env', 'dev', '--json'];

// Milliseconds: functions start from cold, each in a process of its own.
export const describeEvaluations = () =>
  describe('an evaluation in an environment', () => {
    const begin = () => {
      for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
    };

    test('is played by deployed agents, as many at once as allowed, and graded here', async () => {
      begin();
      const cwd = await tempFolder({ 'medic.toml': EVALUATION });
      const { code, out, err } = await typed(inEnvironment('medic.toml'), cwd);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const report = v.parse(Json, out);
      expect(
        report.cases.map(({ name, tries }) => [
          name,
          ...tries.flatMap(({ status, grades }) => [
            status,
            ...grades.map(({ grader, passed, reason }) => [grader, passed, reason]),
          ]),
        ]),
      ).toEqual([
        [
          'first',
          'succeeded',
          ['contains "volume 7"', true, undefined],
          ['calls call_agent', true, undefined],
          ['turns_at_most 2', true, undefined],
        ],
        [
          'second',
          'succeeded',
          ['contains "volume 8"', false, 'the answer does not: it is volume 7'],
          ['judge "names a remedy"', false, 'it names no remedy'],
          ['file out.txt', false, 'files are only there where the case was played on this machine'],
        ],
        ['asking', 'succeeded', ['contains "volume 9"', true, undefined]],
      ]);
    });

    test('that is broken off leaves its runs at work, and goes on with them when it is called again', async () => {
      begin();
      const cwd = await tempFolder({ 'slow.toml': SLOW });
      const io = recordedIo(cwd);
      const breaking = runCommandLine(inEnvironment('slow.toml'), io);
      await slowAsked.opened;
      io.interrupt();
      await breaking;
      expect(process.exitCode).toBe(130);
      process.exitCode = undefined;
      expect(io.err).toBe(
        'Error: interrupted by the user; runs that have begun go on in "dev"; call it again to go on where it was\n',
      );
      goOn.open();
      const { code, out } = await typed(inEnvironment('slow.toml'), cwd);
      expect(code).toBe(0);
      const { cases } = v.parse(Json, out);
      expect(cases.map(({ name, passed }) => [name, passed])).toEqual([
        ['quick', 1],
        ['slow', 1],
      ]);
      expect(asked.filter((one) => /quick|slow/.test(one))).toEqual([
        'medic quick 1',
        'medic quick 2',
        'medic slow 1',
        'medic slow 2',
      ]);
    });
  });
