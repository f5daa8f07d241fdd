// Run by scripts/clients.mjs in the folder with the clients: one of them has a conversation with the agent, streamed
// every other turn, and its answers are compared.
import assert from 'node:assert/strict';

const [client = '', url = '', turns = ''] = process.argv.slice(2);
const baseURL = `${url}/v1`;
const apiKey = 'none';
const model = 'cadre/talker';

/** Begins a conversation. @returns what asks the next question and answers with the text of the agent */
const CONVERSATIONS = {
  async openai() {
    const { default: OpenAI } = await import('openai');
    const openai = new OpenAI({ baseURL, apiKey });
    const messages = [];
    return async (content, isStreamed) => {
      messages.push({ role: 'user', content });
      const asked = { model, messages };
      const { choices } = isStreamed
        ? await openai.chat.completions.stream(asked).finalChatCompletion()
        : await openai.chat.completions.create(asked);
      messages.push(choices[0].message);
      return choices[0].message.content;
    };
  },
  'ai-6': () => aiSdk('ai-6', 'openai-compatible-2'),
  'ai-7': () => aiSdk('ai-7', 'openai-compatible-3'),
  async langchain() {
    const { ChatOpenAI } = await import('@langchain/openai');
    const { HumanMessage } = await import('@langchain/core/messages');
    const chat = new ChatOpenAI({ model, apiKey, configuration: { baseURL } });
    const messages = [];
    return async (content, isStreamed) => {
      messages.push(new HumanMessage({ content, name: 'ann' }));
      let answer;
      if (isStreamed)
        for await (const piece of await chat.stream(messages)) answer = answer?.concat(piece) ?? piece;
      else answer = await chat.invoke(messages);
      messages.push(answer);
      return answer.text;
    };
  },
  async agents() {
    const { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled } = await import('@openai/agents');
    const { OpenAI } = await import('openai');
    setTracingDisabled(true);
    const chat = new OpenAIChatCompletionsModel(new OpenAI({ baseURL, apiKey }), model);
    const agent = new Agent({ name: 'talker', instructions: 'Be brief.', model: chat });
    let history = [];
    return async (content, isStreamed) => {
      const result = await run(agent, [...history, { role: 'user', content }], { stream: isStreamed });
      if (isStreamed) await result.completed;
      history = result.history;
      return result.finalOutput;
    };
  },
  async 'ag-ui'() {
    const { HttpAgent } = await import('@ag-ui/client');
    const agent = new HttpAgent({ url: `${url}/agents/talker/ag-ui` });
    return async (content) => {
      agent.addMessage({ id: content, role: 'user', content });
      const { newMessages } = await agent.runAgent();
      assert.equal(newMessages.length, 1);
      return newMessages[0].content;
    };
  },
};

/** One of the versions of the AI SDK. */
async function aiSdk(sdk, provider) {
  const { generateText, streamText } = await import(sdk);
  const { createOpenAICompatible } = await import(provider);
  const cadre = createOpenAICompatible({ name: 'cadre', baseURL });
  const messages = [];
  return async (content, isStreamed) => {
    messages.push({ role: 'user', content });
    const asked = { model: cadre(model), messages };
    const answer = await (isStreamed ? streamText(asked) : generateText(asked));
    const response = await answer.response;
    messages.push(...response.messages);
    return answer.text;
  };
}

const ask = await CONVERSATIONS[client]();
for (let turn = 1; turn <= Number(turns); turn++) {
  assert.equal(await ask(`question ${turn}`, turn % 2 === 0), `answer ${turn}`);
}
