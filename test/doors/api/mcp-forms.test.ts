import { expect, test } from 'vitest';
import * as v from 'valibot';
import { createMcpOverHttp } from '../../../src/doors/api/mcp/http.ts';
import { use, type Role } from '../../fixtures/stage.ts';
import { plainRequest } from './mcp-client.ts';
import { contextOf } from './served-agents.ts';

const Answer = v.object({
  result: v.object({
    content: v.optional(v.array(v.object({ text: v.string() })), []),
    requestState: v.optional(v.string()),
    inputRequests: v.optional(v.record(v.string(), v.object({ params: v.unknown() })), {}),
  }),
});

/** Calls an agent for a client that shows forms, and fills in each as it is told to. @returns the forms and the answer */
async function called(top: Role, extra: string, fills: readonly object[]) {
  const { context } = await contextOf({ top }, { top: extra });
  const serve = createMcpOverHttp(context);
  const ask = async (more: object) => {
    const params = { name: 'top', arguments: { prompt: 'go' }, ...more };
    const request = plainRequest('http://localhost', 'tools/call', params, { elicitation: {} });
    return v.parse(Answer, await (await serve(request, context)).json()).result;
  };
  const forms: unknown[] = [];
  let answered = await ask({});
  for (const fill of fills) {
    const { requestState, inputRequests } = answered;
    const [[key, { params }] = expect.fail()] = Object.entries(inputRequests);
    forms.push(params);
    answered = await ask({ requestState, inputResponses: { [key]: { action: 'accept', ...fill } } });
  }
  return { forms, content: answered.content };
}

const text = { type: 'string', title: 'Answer' };

test('a question is a form for a choice and a text, and its answer is the choice as the agent wrote it', async () => {
  const { forms, content } = await called(
    ({ turn, results }) => {
      if (turn > 3) return results.join();
      return [
        use(
          'ask_user',
          turn === 1
            ? { question: 'Which?', choices: ['re\u0007d', 'blue'] }
            : { question: `${results.join()}, then?` },
        ),
      ];
    },
    'tools = ["ask_user"]\n',
    [{ content: { choice: 're␇d', text: 'both' } }, { content: { text: 'green' } }, { action: 'decline' }],
  );
  const form = (message: string, properties: object, required: string[]) => ({
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties, required },
  });
  const choice = { type: 'string', title: 'Choice', enum: ['re␇d', 'blue'] };
  expect(forms).toEqual([
    form('top: Which?', { choice, text }, []),
    form('top: re␇d, then?', { text }, ['text']),
    form('top: green, then?', { text }, ['text']),
  ]);
  expect(content).toEqual([{ text: '(question could not be answered)' }]);
});

test('a call that waits for approval is a form with its arguments, which is shown again for what is no decision', async () => {
  const { forms, content } = await called(
    ({ turn, results }) => (turn === 1 ? [use('write_file', { path: 'a', content: 'x' })] : results.join()),
    'tools = ["write_file"]\n[permissions]\nask = ["write_file"]\n',
    [{ content: { choice: 'perhaps' } }, { content: { choice: 'deny', text: 'not now' } }],
  );
  const form = {
    mode: 'form',
    message: 'top: Allow write_file: a?\n\n{\n  "path": "a",\n  "content": "x"\n}',
    requestedSchema: {
      type: 'object',
      properties: {
        choice: { type: 'string', title: 'Choice', enum: ['approve', 'deny', 'always'] },
        text: { ...text, title: 'Reason for denying' },
      },
      required: ['choice'],
    },
  };
  expect(forms).toEqual([form, form]);
  expect(content).toEqual([{ text: 'Permission denied: "write_file" was denied by the user: not now' }]);
});
