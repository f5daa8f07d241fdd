import { describe, expect, test } from 'vitest';
import * as v from 'valibot';
import { hashOf } from '../../src/core/attachments/to-attachment.ts';
import { png } from '../fixtures/images.ts';
import type { Asked, Role } from './converse.ts';
import { rehearsal } from './deployed.ts';

/** An agent that sees, has a skill, and has each of its texts looked at by a module. */
export const AGENTS = {
  looker: `name = "looker"
model = "bedrock/anthropic.claude-looker"
skills = ["agents/skills/answer-ticket"]
[[hooks]]
on = "before_answer"
file = "tools/vet.ts"
`,
};
export const MODULES = {
  vet: `export const handler = ({ text }: { text: string }) =>
    text.includes('4711') ? { decision: 'deny', reason: 'no codes' } : { decision: 'allow' };
`,
};

const asked: Asked[] = [];
export const ROLES: Record<string, Role> = {
  looker(one) {
    asked.push(one);
    if (one.turn === 1) return [{ tool: 'use_skill', input: { name: 'answer-ticket' } }];
    // A text that is denied is no turn that it would see.
    return asked.length === 2 ? 'The code is 4711.' : `I see ${one.shown.join(' and ')}.`;
  },
};

const Place = v.object({ url: v.string(), headers: v.record(v.string(), v.string()) });
const caller = 'ada';
const post = (path: string, json: unknown) => rehearsal.askApi('POST', path, { caller, json });

/** Leaves a file as clients do. @returns its hash */
async function left(bytes: Buffer): Promise<string> {
  const hash = hashOf(bytes);
  const { url, headers } = v.parse(Place, (await post('/attachments', { hash, bytes: bytes.length })).body);
  const { status } = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) });
  expect(status).toBe(200);
  return hash;
}

export const describeSenses = () =>
  describe('a deployed agent', () => {
    test('sees, loads a skill, and shows what its hook lets pass', async () => {
      const [small, large] = [png(40, 30), png(1200, 800, 3 * 2 ** 20 + 1)];
      const attachments = [await left(small)];
      const started = await post('/agents/looker/runs', { prompt: 'What is this?', attachments });
      const run = String(started.body['run_id']);
      const result = async () =>
        (await rehearsal.askApi('GET', `/runs/${run}/result?wait=25`, { caller })).body;
      await expect.poll(result).toMatchObject({ content: 'I see png.' });
      const [skill, denied] = [asked[1]?.results[0]?.text, asked[2]?.told];
      expect(skill).toContain('# Answer a ticket');
      expect(denied).toBe('Permission denied: hook "tools/vet.ts" denied the answer: no codes');

      const more = { text: 'And this?', attachments: [await left(large)] };
      expect((await post(`/runs/${run}/messages`, more)).status).toBe(202);
      await expect.poll(result).toMatchObject({ content: 'I see png and png.' });
      const { status, headers } = await rehearsal.answerApi(
        'GET',
        `/runs/${run}/attachments/${hashOf(large)}`,
        { caller },
      );
      expect(status).toBe(302);
      const read = await fetch(headers['location'] ?? '');
      expect(hashOf(new Uint8Array(await read.arrayBuffer()))).toBe(hashOf(large));
    }, 120_000);
  });
