import { TaskState, type StreamResponse, type Task } from '@a2a-js/sdk';
import { HttpAgent } from '@ag-ui/client';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, assembled, clientOf, say, send } from '../fixtures/a2a-client.ts';
import { spawnCommand } from '../fixtures/command.ts';
import { latch } from '../fixtures/stage.ts';
import { makeFolder } from '../fixtures/temp-folder.ts';
import type { Role } from './converse.ts';
import { rehearsal } from './deployed.ts';

/** Clients of OpenAI, MCP, AG-UI and A2A, which sign nothing, before `cadre serve --env`. */
export const AGENTS = {
  patient: 'name = "patient"\nmodel = "bedrock/anthropic.claude-patient"\nsub_agents = ["aide"]\n',
  aide: 'name = "aide"\nmodel = "bedrock/anthropic.claude-aide"\n[serve]\nmcp = true\n',
  curious: 'name = "curious"\nmodel = "bedrock/anthropic.claude-curious"\ntools = ["ask_user"]\n',
};
let goesOn = latch();
export const ROLES: Record<string, Role> = {
  patient: ({ turn }) => (turn === 1 ? [{ call: 'aide', task: 'look it up' }] : 'The aide found it.'),
  async aide() {
    await goesOn.opened;
    return 'found';
  },
  curious: ({ turn, results }) => {
    if (turn === 1) return [{ tool: 'ask_user', input: { question: 'Which one?' } }];
    return turn === 2 ? `${results.map(({ text }) => text).join()}, then` : 'Nothing more.';
  },
};

export const describeDoors = () =>
  describe('the doors of a deployed environment', () => {
    let served: ReturnType<typeof spawnCommand>;
    let url = '';
    beforeAll(async () => {
      served = spawnCommand(
        ['serve', '--env', 'dev', '--port', '0'],
        await makeFolder({}),
        rehearsal.environment,
      );
      await served.says('stop with Ctrl-C');
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(served.err)?.[0] ?? '';
    });
    afterAll(() => void served.process.kill());

    const messages = [{ role: 'user' as const, content: 'go' }];
    const openAi = () => new OpenAI({ apiKey: 'none', baseURL: `${url}/v1` });

    test('answer a client of OpenAI, whole', async () => {
      goesOn.open();
      const completion = await openAi().chat.completions.create({ model: 'cadre/patient', messages });
      expect(completion).toMatchObject({
        choices: [{ message: { content: 'The aide found it.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 30, completion_tokens: 6 },
      });
      expect(completion._request_id).toMatch(/^patient-/);
      await expect(
        openAi().chat.completions.create({ model: 'cadre/nobody', messages }),
      ).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    });

    test('begin to answer before the run has ended, where a client takes a stream', async () => {
      goesOn = latch();
      const stream = await openAi().chat.completions.create({
        model: 'cadre/patient',
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      let content = '';
      const reasons: unknown[] = [];
      let usage: object | null | undefined;
      for await (const chunk of stream) {
        // It came while the aide was still at work.
        goesOn.open();
        content += chunk.choices[0]?.delta.content ?? '';
        reasons.push(...chunk.choices.flatMap(({ finish_reason }) => finish_reason ?? []));
        usage = chunk.usage ?? usage;
      }
      expect([content, reasons, usage]).toMatchObject([
        'The aide found it.',
        ['stop'],
        { prompt_tokens: 30, completion_tokens: 6 },
      ]);
    });

    test.each(['legacy', { pin: '2026-07-28' }] as const)(
      'are tools for a client of MCP, which can leave a run and ask for its answer: %j',
      async (mode) => {
        goesOn = latch();
        const client = new McpClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
        await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual(
          expect.arrayContaining(['patient', 'aide', 'run_result']),
        );
        const call = { name: 'aide', arguments: { prompt: 'go', wait: 1 } };
        const left = await client.callTool(call);
        const run = String(left._meta?.['cadre/run']);
        expect(left).toMatchObject({ content: [{ text: expect.stringContaining(`run_id "${run}"`) }] });
        goesOn.open();
        const result = await client.callTool({ name: 'run_result', arguments: { run_id: run } });
        expect(result).toMatchObject({
          content: [{ type: 'text', text: 'found' }],
          _meta: { 'cadre/run': run },
        });
        await client.close();
      },
    );

    test('have threads for a client of AG-UI, each a run that goes on, with interrupts', async () => {
      const agent = new HttpAgent({ url: `${url}/agents/curious/ag-ui` });
      agent.addMessage({ id: 'a', role: 'user', content: 'go' });
      const first = await agent.runAgent();
      const [interrupt = expect.fail()] = agent.pendingInterrupts;
      expect(interrupt.message).toBe('Which one?');
      await agent.runAgent({
        resume: [{ interruptId: interrupt.id, status: 'resolved', payload: 'blue' }],
      });
      agent.addMessage({ id: 'b', role: 'user', content: 'And then?' });
      await agent.runAgent();
      expect(first.newMessages.map(({ role }) => role)).toEqual(['assistant']);
      expect(
        agent.messages.flatMap(({ role, content }) => (role === 'assistant' ? (content ?? '') : [])),
      ).toEqual(['', 'blue, then', 'Nothing more.']);
    });

    describe('have tasks for a client of A2A', () => {
      const shown = ({ status, artifacts }: Task) => [
        TaskState[status?.state ?? TaskState.UNRECOGNIZED],
        ...[...artifacts, ...(status?.message ? [status.message] : [])].flatMap(({ parts }) =>
          parts.flatMap(({ content }) => (content?.$case === 'text' ? content.value : [])),
        ),
      ];

      test('which ask, are answered, and go on in their context', async () => {
        const client = await clientOf(url, 'curious');
        const asking = await send(client, say('go'));
        expect(shown(asking)).toEqual(['TASK_STATE_INPUT_REQUIRED', 'Which one?']);
        const first = await send(client, say('blue', { taskId: asking.id }));
        expect(shown(first)).toEqual(['TASK_STATE_COMPLETED', 'blue, then']);
        const second = await send(client, say('And then?', { contextId: first.contextId }));
        expect(shown(second)).toEqual(['TASK_STATE_COMPLETED', 'Nothing more.']);
        expect(second.id).not.toBe(first.id);
      });

      test('which stream while they are at work', async () => {
        goesOn = latch();
        const told: StreamResponse[] = [];
        for await (const event of (await clientOf(url, 'patient')).sendMessageStream(ask(say('go')))) {
          // The first event came while the aide was still at work.
          goesOn.open();
          told.push(event);
        }
        expect(assembled(told)).toEqual(['The aide found it.']);
        expect([told[0]?.payload?.$case, told.at(-1)?.payload]).toMatchObject([
          'task',
          { $case: 'statusUpdate', value: { status: { state: TaskState.TASK_STATE_COMPLETED } } },
        ]);
      });

      test('which are cancelled with all below them', async () => {
        goesOn = latch();
        const client = await clientOf(url, 'patient');
        const { id } = await send(client, say('go'), { returnImmediately: true });
        const canceled = await client.cancelTask({ tenant: '', id, metadata: undefined });
        expect(shown(canceled)).toEqual(['TASK_STATE_CANCELED', 'its client cancelled the task']);
      });
    });

    test('are closed to callers that sign nothing', async () => {
      const response = await fetch(`${rehearsal.doorsUrl}/v1/models`);
      expect([response.status, await response.text()]).toEqual([403, '{"Message":"Forbidden"}']);
    });
  });
