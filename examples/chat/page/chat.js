import { HttpAgent } from '@ag-ui/client';

// What models and tools wrote becomes text on this page, and never HTML.

const agent = new HttpAgent({ url: new URL('chat', location.href).href });
const [messages, questions, status, form] = ['messages', 'questions', 'status', 'say'].map((id) =>
  document.getElementById(id),
);
/** The answers to what the agent asks, by the id of the question. It goes on once it has all of them. */
const answers = new Map();

agent.subscribe({
  onMessagesChanged: () => messages.replaceChildren(...agent.messages.flatMap(shown)),
  onRunErrorEvent: ({ event }) => void (status.textContent = event.message),
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: form.elements.text.value });
  form.reset();
  void goOn();
});

async function goOn(resume) {
  const [button] = form.getElementsByTagName('button');
  button.disabled = true;
  status.textContent = 'Working …';
  try {
    await agent.runAgent({ resume });
    if (status.textContent === 'Working …') status.textContent = '';
  } catch (error) {
    status.textContent = `No answer: ${error.message}`;
  }
  // A message is no answer to a question.
  button.disabled = agent.pendingInterrupts.length > 0;
  askNext();
}

/** Shows the next question, or sends the answers to all of them. */
function askNext() {
  const next = agent.pendingInterrupts.find(({ id }) => !answers.has(id));
  questions.replaceChildren(...(next === undefined ? [] : [asked(next)]));
  if (next !== undefined || answers.size === 0) return;
  const resume = [...answers].map(([interruptId, payload]) => ({ interruptId, status: 'resolved', payload }));
  answers.clear();
  void goOn(resume);
}

/** A question, with a button for each choice, and a field for any other answer. */
function asked({ id, message, metadata }) {
  const answer = (payload) => {
    answers.set(id, payload);
    askNext();
  };
  const choices = metadata.choices.map((choice) => {
    const button = element('button', choice);
    button.type = 'button';
    button.addEventListener('click', () => answer({ choice }));
    return button;
  });
  const text = element('input');
  text.ariaLabel = 'Your answer';
  text.placeholder = metadata.tool === undefined ? '' : 'deny, and say why';
  text.required = true;
  const fields = element('form', ...choices, text, element('button', 'Answer'));
  fields.addEventListener('submit', (event) => {
    event.preventDefault();
    answer(metadata.tool === undefined ? text.value : `deny: ${text.value}`);
  });
  const details = metadata.arguments && element('p', JSON.stringify(metadata.arguments, null, 2));
  return element('fieldset', element('legend', message), ...(details ? [details] : []), fields);
}

/** What a message looks like: its text, and the calls of tools. */
function shown({ role, content, toolCalls = [] }) {
  if (role === 'tool') return [];
  const text = content ? [element('p', content)] : [];
  const calls = toolCalls.map(({ function: { name, arguments: given } }) => element('p', `${name} ${given}`));
  for (const each of text) each.className = role;
  for (const each of calls) each.className = 'call';
  return [...text, ...calls];
}

function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}
