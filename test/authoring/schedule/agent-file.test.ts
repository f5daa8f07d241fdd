import { describe, expect, test } from 'vitest';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { showAgent } from '../../../src/doors/cli/commands/agents.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

async function load(schedule: string) {
  const cwd = await tempFolder({ 'agents/x.toml': `name = "x"\nmodel = "a/b"\n${schedule}` });
  return loadAgent('x', openAgentFolders({ cwd, env: {}, agentsDir: 'agents' }));
}

describe('[schedule] of an agent', () => {
  test('is read with its defaults', async () => {
    const { agent, warnings } = await load('[schedule]\ncron = "0 9 ? * mon-fri *"\n');
    expect(warnings).toEqual([]);
    expect(agent.schedule).toEqual({
      kind: 'cron',
      expression: '0 9 ? * MON-FRI *',
      timezone: 'UTC',
      prompt: '',
      enabled: true,
    });
  });

  test('is read with all that it may say', async () => {
    const { agent } = await load(
      'schedule = { at = "2026-07-01T09:00:00", timezone = "Europe/Berlin", prompt = "Now", enabled = false, max_tokens = 5000, max_usd = 0.25 }\n',
    );
    expect(agent.schedule).toEqual({
      kind: 'at',
      expression: '2026-07-01T09:00:00',
      timezone: 'Europe/Berlin',
      prompt: 'Now',
      enabled: false,
      budget: { tokens: 5000, nanoUsd: 250_000_000 },
    });
  });

  test('need not be there', async () => {
    expect((await load('')).agent).not.toHaveProperty('schedule');
  });

  test.each([
    ['[schedule]\n', '3:2: schedule takes exactly one of cron, rate and at'],
    ['[schedule]\nprompt = "x"\n', '3:2: schedule takes exactly one of cron, rate and at'],
    [
      '[schedule]\nrate = "1 day"\nat = "2026-01-01T00:00:00"\n',
      '3:2: schedule takes exactly one of cron, rate and at',
    ],
    [
      '[schedule]\n  cron = "0 25 * * ? *"\n',
      '4:10: schedule.cron "0 25 * * ? *": hours must be 0 to 23, got "25"',
    ],
    [
      '[schedule]\nrate = "1 day"\ntimezone = "Berlin"\n',
      '5:12: schedule.timezone "Berlin": there is no such time zone; use a name such as Europe/Berlin or UTC',
    ],
  ])('is refused where it is wrong: %j', async (schedule, complaint) => {
    await expect(load(schedule)).rejects.toThrow(`agents/x.toml:${complaint}`);
  });

  test.each([
    ['[schedule]\nrate = 5\n', '4:8: schedule.rate must be a string, got 5'],
    ['[schedule]\nat = 2026-01-01T00:00:00\n', '4:6: schedule.at must be a string, got 2026-01-01T00:00:00'],
    [
      '[schedule]\nrate = "1 day"\nenabled = "no"\n',
      '5:11: schedule.enabled must be true or false, got "no"',
    ],
    ['schedule = "daily"\n', '3:12: schedule must be a table, got "daily"'],
  ])('is refused where it is of another type: %j', async (schedule, complaint) => {
    await expect(load(schedule)).rejects.toThrow(
      `failed to parse agent config "x": agents/x.toml:${complaint}`,
    );
  });

  test('is refused with a key that is misspelled', async () => {
    await expect(load('[schedule]\nrate = "1 day"\ntime_zone = "UTC"\n')).rejects.toThrow(
      'agents/x.toml:5:1: unknown key "schedule.time_zone", did you mean "schedule.timezone"?',
    );
  });

  test.each([
    [
      'at = "2199-01-31T12:00:00"\nprompt = "Go"\n',
      'at(2199-01-31T12:00:00) UTC',
      '2199-01-31 12:00:00Z',
      'Go',
    ],
    ['at = "2001-01-31T12:00:00"\n', 'at(2001-01-31T12:00:00) UTC', 'never', undefined],
    [
      'rate = "1 day"\ntimezone = "Europe/Berlin"\nenabled = false\n',
      'rate(1 day) Europe/Berlin',
      'disabled',
      undefined,
    ],
  ])('is shown with its next run: %j', async (schedule, expression, next, prompt) => {
    const cwd = await tempFolder({ 'agents/x.toml': `name = "x"\nmodel = "a/b"\n[schedule]\n${schedule}` });
    const io = recordedIo(cwd);
    await showAgent('x', {}, io);
    const lines = [
      'Name:           x',
      'Model:          a/b',
      `Schedule:       ${expression}`,
      `Next Run:       ${next}`,
    ];
    if (prompt !== undefined) lines.push(`Prompt:         ${prompt}`);
    expect(io.out).toBe(`${lines.join('\n')}\n`);
  });
});
