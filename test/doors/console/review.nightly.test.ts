import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { ModelError } from '../../../src/errors.ts';
import type { ModelResponse } from '../../../src/core/records/message.ts';
import { serveAgents } from '../api/served-agents.ts';
import { call, use, type Asked, type Line, stageConfig } from '../../fixtures/stage.ts';
import { browserTest, useBrowser } from './browser.ts';

const browsing = useBrowser();

/** Pictures for the docs are taken anew with `CADRE_PICTURES=docs`; models then take their time. */
const TAKES_PICTURES = process.env['CADRE_PICTURES'] === 'docs';
const PACE = TAKES_PICTURES ? 1 : 0;
const FOLDER = join(import.meta.dirname, '../../../docs/pictures');

/** A model's answer after so many milliseconds, and the time that it took. */
async function says(milliseconds: number, line: Line, tokens: number): Promise<Partial<ModelResponse>> {
  await delay(milliseconds * PACE);
  const answer = typeof line === 'string' ? { text: line } : Array.isArray(line) ? { calls: line } : line;
  const stopReason = answer.calls === undefined ? 'end' : 'tool_calls';
  return { ...answer, stopReason, usage: { inputTokens: tokens, outputTokens: Math.round(tokens / 12) } };
}

const reviewing =
  (milliseconds: number, tokens: number, finding: string) =>
  async ({ turn }: Asked) => {
    if (turn === 1)
      return says(milliseconds / 3, [use('read_file', { path: 'src/payments.ts' })], tokens / 2);
    return says(milliseconds, finding, tokens);
  };

let dependencyChecks = 0;
const ROLES = {
  async review({ turn }: Asked) {
    if (turn === 1) {
      const reviews = ['security', 'tests', 'performance', 'docs'].map((what) =>
        call(`${what}-reviewer`, `Review ${what} of the change to payments`),
      );
      return says(900, { text: 'Four reviewers look at it from four sides.', calls: reviews }, 6_200);
    }
    if (turn === 2) {
      const change = {
        path: 'src/payments.ts',
        old_string: 'charge(card, amount)',
        new_string: 'charge(card, amount, { idempotencyKey })',
      };
      return says(1_300, [use('read_file', { path: 'src/payments.ts' }), use('edit_file', change)], 11_800);
    }
    return says(400, 'One finding was mended: charges are now made only once.', 12_900);
  },
  async 'security-reviewer'({ turn, results }: Asked) {
    if (turn === 1) {
      return says(
        500,
        [use('read_file', { path: 'src/payments.ts' }), call('dependency-checker', 'Check what is imported')],
        4_100,
      );
    }
    const hasFailed = results.some((text) => text.startsWith('Error: sub-agent'));
    if (hasFailed) return says(600, [call('dependency-checker', 'Check what is imported')], 4_800);
    return says(1_200, 'Repeated requests charge a card twice.', 5_300);
  },
  async 'dependency-checker'() {
    await delay(700 * PACE);
    dependencyChecks += 1;
    if (dependencyChecks === 1) throw new ModelError('bad_request', 'the prompt is too long');
    return says(900, 'No known advisories.', 2_600);
  },
  'tests-reviewer': reviewing(2_100, 3_900, 'The path of failed charges has no test.'),
  'performance-reviewer': reviewing(1_500, 3_300, 'Nothing to mend.'),
  'docs-reviewer': reviewing(1_100, 2_800, 'The README names an option that is gone.'),
};

const READS = 'tools = ["read_file"]\n';
const AGENTS = {
  review:
    'description = "Reviews a change from several sides"\ntimeout = 120\npatience = "1h"\n' +
    'sub_agents = ["security-reviewer", "tests-reviewer", "performance-reviewer", "docs-reviewer"]\n' +
    'tools = ["read_file", "edit_file"]\npermissions = { ask = ["edit_file"] }\n',
  'security-reviewer': `sub_agents = ["dependency-checker"]\n${READS}`,
  'tests-reviewer': READS,
  'performance-reviewer': READS,
  'docs-reviewer': READS,
};
const prices = Object.keys(ROLES).map((name) => `[prices."stage/${name}"]\ninput = 3\noutput = 15\n`);

browserTest(
  'a review is seen at work, waits for its approval, and ends: the run of the pictures',
  async () => {
    dependencyChecks = 0;
    const { server, post } = await serveAgents(ROLES, AGENTS, {
      'src/payments.ts':
        'export async function pay(card: Card, amount: number) {\n  await charge(card, amount);\n}\n',
      ...stageConfig(prices.join('\n')),
    });
    const { body } = await post('/agents/review/runs', { json: { prompt: 'Review the change to payments' } });
    const url = `${server.url}/#/runs/${String(body['run_id'])}`;
    const { page, faults } = await browsing.open(url, { viewport: { width: 1440, height: 810 } });
    const shoot = async (name: string) => {
      if (!TAKES_PICTURES) return;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
      }
    };
    await page.getByRole('treeitem', { name: /^review waits for you to approve edit_file/ }).waitFor();
    expect(await page.getByRole('treeitem').count()).toBe(7);
    await page.getByRole('button', { name: 'Next failure (1)' }).waitFor();
    await shoot('page');
    await post(`/runs/${String(body['run_id'])}/questions/t2c2/answer`, { json: { choice: 'approve' } });
    await page.getByRole('treeitem', { name: /^review succeeded/ }).waitFor();
    await page.getByText('review wants to use edit_file').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  },
);
