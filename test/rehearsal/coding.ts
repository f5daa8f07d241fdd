import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openCloudEnvironment } from '../../src/places/aws/cloud-environment.ts';
import { DAYS_PROJECT, MENDING } from '../fixtures/days-project.ts';
import { checksumOf } from '../fixtures/s3-server.ts';
import type { Role } from './converse.ts';
import { rehearsal } from './deployed.ts';

/** An agent that ships, on a model of the rehearsal, in a workdir of its own. */
function shipped(name: string, role: string, more = ''): string {
  const text = readFileSync(join(import.meta.dirname, `../../agents/${name}.toml`), 'utf8');
  return `${text.replace(/^model = .*$/m, `model = "bedrock/anthropic.claude-${role}"\nworkdir = "days"`)}${more}`;
}

export const AGENTS = {
  coder: shipped('coder', 'coder', '\n[sandbox]\nkind = "isolated"\n'),
  'change-reviewer': shipped('change-reviewer', 'reviewer'),
  builder:
    'name = "builder"\nmodel = "bedrock/anthropic.claude-builder"\ntools = ["run_command"]\n[sandbox]\nkind = "isolated"\n',
};

/** A file that lets the builder's command go on. */
const SEEN = join(tmpdir(), `cadre-seen-${process.pid}`);

/** `coder` is one of the agents that stay on people's machines in cdk.json, where it has no sandbox. */
export const SETTINGS = { sandboxVpc: true, localAgents: ['triage'] };

/** The results that each turn of coder got. */
const heard: string[][] = [];
const command = (text: string) => [{ tool: 'run_command', input: { command: text } }];

export const ROLES: Record<string, Role> = {
  coder({ turn, results }) {
    heard[turn - 1] = results.map(({ text }) => text);
    const steps = [
      [{ tool: 'grep', input: { pattern: 'daysInMonth' } }, ...command('node --test')],
      [{ tool: 'read_file', input: { path: MENDING.path } }],
      [{ tool: 'edit_file', input: MENDING }],
      command('node --test && env && mkdir -p out && echo built > out/b.txt'),
      [{ call: 'change-reviewer', task: `February is too short. Changed: ${MENDING.path}` }],
    ];
    return steps[turn - 1] ?? `Mended ${MENDING.path}.`;
  },
  builder: ({ turn, results }) =>
    turn === 1
      ? command(`echo early; until test -e ${SEEN}; do sleep 0.1; done; echo late`)
      : results.map(({ text }) => text).join(''),
  reviewer: ({ turn, results }) =>
    turn === 1
      ? [{ tool: 'read_file', input: { path: MENDING.path } }]
      : `Read: ${results.map(({ text }) => text).join('')}`,
};

// Milliseconds: functions start from cold, each in a process of its own.
export const describeCoding = () =>
  describe('an agent that runs commands', () => {
    test('sees a test fail in its sandbox, mends the code, has it reviewed and sees the test pass', async () => {
      for (const [path, text] of Object.entries(DAYS_PROJECT)) {
        const bytes = Buffer.from(text);
        rehearsal.bucket.objects.set(`workspace/days/${path}`, {
          bytes,
          contentType: '',
          checksum: checksumOf(bytes),
        });
      }
      const before = rehearsal.lambda.invoked.length;
      const { body } = await rehearsal.askApi('POST', '/agents/coder/runs?wait=25', {
        caller: 'ada',
        json: { prompt: 'make the tests pass' },
      });
      expect(body).toMatchObject({ status: 'succeeded', content: 'Mended src/days.js.' });
      expect(heard[1]?.[1]).toContain('not ok 1 - February has a day more in leap years');
      expect(heard[4]?.[0]).toMatch(/# pass 1|pass 1/);
      // The keys of its session are in no environment of a command.
      expect(heard[4]?.[0]).not.toMatch(/AWS_|CADRE_(?!PROCESS_TREE)|session-/);
      const kept = (path: string) => rehearsal.bucket.objects.get(`workspace/days/${path}`)?.bytes.toString();
      expect(kept('src/days.js')).toContain('Date.UTC(year, month, 0)');
      expect(kept('out/b.txt')).toBe('built\n');
      const invoked = rehearsal.lambda.invoked.slice(before).filter((name) => name.endsWith('sandbox'));
      expect(invoked).toEqual(['cadre-dev-sandbox', 'cadre-dev-sandbox']);
    }, 60_000);

    test('is heard by those who watch, while its command is at work', async () => {
      onTestFinished(() => rm(SEEN, { force: true }));
      for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
      const environment = await openCloudEnvironment('dev');
      const { body } = await rehearsal.askApi('POST', '/agents/builder/runs', {
        caller: 'ada',
        json: { prompt: 'build' },
      });
      const signal = AbortSignal.timeout(50_000);
      const heard: string[] = [];
      for await (const { event } of environment.follow(String(body['run_id']), {
        live: true,
        until: 'rest',
        signal,
      })) {
        if (event.type !== 'call_output' && event.type !== 'run_closed') continue;
        heard.push(event.text);
        await writeFile(SEEN, '');
      }
      await environment.close();
      expect(heard).toEqual(['early\n', 'early\nlate\n[exit code 0]']);
    }, 60_000);
  });
