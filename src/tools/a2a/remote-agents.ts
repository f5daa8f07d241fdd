import { Role, TaskState, type Message, type Part, type SendMessageRequest, type Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from '@a2a-js/sdk/client';
import { A2AError } from '@a2a-js/sdk/errors';
import * as v from 'valibot';
import { defined } from '../../defined.ts';
import { AgentError, ConfigError, messageOf } from '../../errors.ts';
import { RemoteRequest, type RemoteState } from '../../core/records/remote.ts';
import { fillIn } from '../../core/records/secrets.ts';
import { sentWith, type ToolServer } from '../../core/records/tool-server.ts';
import { MAX_RESULT_CHARACTERS, type ToolOutput, type ToolServers } from '../../core/tool-contracts/tool.ts';
import { createPatientFetch } from '../../patient-fetch.ts';
import { replaceHidden } from '../../shown-characters.ts';
import { shortened } from '../../shortened.ts';
import type { ToolServersOptions } from '../mcp/ports.ts';
import { bounded } from '../reach/bounded-answer.ts';

const MAX_TEXT = 40_000;

/** As JSON, all together: more is nothing that a person chooses from. */
const MAX_CHOICES = 8_000;

const MAX_TASK_NAME = 1_000;

/** Enough of what a server says to see what it is about. */
const MAX_REASON = 500;

const LEGACY = { legacyCompat: { enabled: true } };

/** A remote agent that can be asked. */
interface Remote {
  /** Rejects where its card cannot be read, or names no way to it that is spoken here. */
  client: Promise<Client>;
  /** A text without the secrets that it was sent. */
  redact(text: string): string;
}

/** Agents of others, which speak Agent2Agent, as servers with one tool: see `RemoteRequest`. */
export function openRemoteAgents(options: ToolServersOptions): ToolServers {
  const remotes = new Map<string, Promise<Remote>>();

  function open(server: ToolServer): Promise<Remote> {
    const key = JSON.stringify(server.reach);
    const opening = remotes.get(key) ?? openRemote(server, options);
    remotes.set(key, opening);
    opening.then(({ client }) => client).catch(() => remotes.delete(key));
    return opening;
  }

  return {
    async list({ name }) {
      throw new AgentError(`remote agent "${name}" is no server of tools`);
    },
    async call(server, { arguments: given, signal }) {
      let redact = (text: string) => text;
      try {
        const remote = await open(server);
        redact = remote.redact;
        const state = await ask(await remote.client, v.parse(RemoteRequest, given), signal);
        return { text: toText(state, redact) };
      } catch (thrown) {
        signal.throwIfAborted();
        return failed(server, redact(plain(reasonOf(thrown))), isLasting(thrown));
      }
    },
  };
}

/** @throws {ConfigError} for a missing secret */
async function openRemote(server: ToolServer, options: ToolServersOptions): Promise<Remote> {
  const { reach, name } = server;
  if (reach.kind !== 'url') throw new AgentError(`remote agent "${name}" has no address`);
  const { sent, redact } = await fillIn(sentWith(server), `remote agent "${name}"`, options);
  const fetchImpl = fetchFrom(new URL(reach.url).origin, sent, 1000 * server.timeout);
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      cardResolver: new DefaultAgentCardResolver({ fetchImpl, ...LEGACY }),
      transports: [
        new JsonRpcTransportFactory({ fetchImpl, ...LEGACY }),
        new RestTransportFactory({ fetchImpl, ...LEGACY }),
      ],
    }),
  );
  return { client: factory.createFromUrl(cardUrl(reach.url), ''), redact };
}

/** The address of a card, or that below which it is. */
function cardUrl(written: string): string {
  const url = new URL(written);
  if (url.pathname.endsWith('.json')) return url.href;
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return new URL('.well-known/agent-card.json', url).href;
}

/** What a server says of a request that may be made again: a time-out, too early, too many. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

const patientFetch = createPatientFetch(0, { keepsConnections: false });

/**
 * Sends headers with each request, and so none to another place, whatever a card or a redirect says.
 * @param most for a request that has no signal, which are those of cards: all calls wait for one
 */
function fetchFrom(origin: string, headers: Record<string, string>, most: number): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { origin: asked } = new URL(request.url);
    if (asked !== origin) throw new AgentError(`its card leads to ${asked}, and not to ${origin}`);
    const all = new Headers(request.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const signal = init?.signal ?? AbortSignal.timeout(most);
    const response = await patientFetch(input, { ...init, signal, headers: all, redirect: 'manual' });
    const { status, statusText } = response;
    if (status >= 300 && status < 400)
      throw new AgentError(`it redirects, which is not followed (HTTP ${status})`);
    if (status >= 400 && status < 500 && !PASSING.has(status))
      throw new AgentError(`HTTP ${status} ${statusText}`);
    return bounded(response);
  };
}

async function ask(client: Client, request: RemoteRequest, signal: AbortSignal): Promise<RemoteState> {
  switch (request.ask) {
    case 'send': {
      const answer = await client.sendMessage(toMessage(request), { signal });
      return 'id' in answer ? toState(answer) : { state: 'done', text: textOf(answer.parts) };
    }
    case 'get':
      return toState(await client.getTask({ tenant: '', id: request.task, historyLength: 0 }, { signal }));
    case 'cancel':
      return toState(
        await client.cancelTask({ tenant: '', id: request.task, metadata: undefined }, { signal }),
      );
  }
}

function toMessage({
  message,
  text,
  task = '',
}: Extract<RemoteRequest, { ask: 'send' }>): SendMessageRequest {
  return {
    tenant: '',
    metadata: undefined,
    configuration: {
      acceptedOutputModes: ['text/plain', 'application/json'],
      taskPushNotificationConfig: undefined,
      historyLength: 0,
      returnImmediately: true,
    },
    message: {
      messageId: message,
      contextId: '',
      taskId: task,
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'text', value: text },
          mediaType: 'text/plain',
          filename: '',
          metadata: undefined,
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
  };
}

function toState({ id: task, status, artifacts }: Task): RemoteState {
  const said = status?.message === undefined ? '' : textOf(status.message.parts);
  switch (status?.state) {
    case TaskState.TASK_STATE_COMPLETED: {
      const answer = artifacts.map(({ parts }) => textOf(parts)).filter((text) => text !== '');
      return { task, state: 'done', text: answer.length > 0 ? answer.join('\n\n') : said };
    }
    case TaskState.TASK_STATE_INPUT_REQUIRED:
      return {
        task,
        state: 'asks',
        text: said || 'The remote agent needs an answer to go on.',
        ...choicesIn(status.message),
      };
    case TaskState.TASK_STATE_AUTH_REQUIRED:
      return { task, state: 'failed', text: `it wants somebody to sign in${said === '' ? '' : `: ${said}`}` };
    case TaskState.TASK_STATE_FAILED:
    case TaskState.TASK_STATE_REJECTED:
      return { task, state: 'failed', text: said };
    case TaskState.TASK_STATE_CANCELED:
      return { task, state: 'canceled', text: said };
    default:
      return { task, state: 'working', text: said };
  }
}

/** The choices of a question, as our own servers send them. */
function choicesIn(message: Message | undefined): Pick<RemoteState, 'choices'> {
  for (const { content } of message?.parts ?? []) {
    const given = v.safeParse(Choices, content?.$case === 'data' ? content.value : undefined);
    if (!given.success || given.output.choices.length === 0) continue;
    const { choices } = given.output;
    return JSON.stringify(choices).length > MAX_CHOICES ? {} : { choices };
  }
  return {};
}

const Choices = v.object({ choices: v.array(v.string()) });

/** Texts as they are, values as JSON; of files there is only the name. */
function textOf(parts: readonly Part[]): string {
  const isText = parts.some(({ content }) => content?.$case === 'text');
  const texts = parts.map(({ content, filename, mediaType }) => {
    switch (content?.$case) {
      case 'text':
        return content.value;
      case 'data':
        // Beside a text it says the same once more, or is for programs.
        return isText ? '' : JSON.stringify(content.value);
      case 'raw':
      case 'url':
        return `[a file that is left out: ${[filename, mediaType].filter((each) => each !== '').join(', ')}]`;
      case undefined:
        return '';
    }
  });
  return texts.filter((text) => text !== '').join('\n');
}

const CUT = '\n[The rest is left out.]';

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}${CUT}`;
}

/** Without what acts on a screen or cannot be seen: people answer its questions, and models read its answers. */
function plain(text: string): string {
  return replaceHidden(text.toWellFormed(), () => '');
}

/** A state as the result of a call. A result that is too long is cut by who keeps it, and would be JSON no more. */
function toText({ text, choices, ...state }: RemoteState, redact: Remote['redact']): string {
  if (state.task !== undefined && state.task.length > MAX_TASK_NAME)
    throw new AgentError(`the name of its task has more than ${MAX_TASK_NAME} characters`);
  const shown = (said: string) => redact(plain(said));
  const toJson = (said: string) =>
    JSON.stringify({ ...state, text: said, ...defined({ choices: choices?.map(shown) }) });
  // A cut before the secrets are gone could leave a part of one.
  const said = cut(shown(text), MAX_TEXT);
  const over = toJson(said).length - MAX_RESULT_CHARACTERS;
  return toJson(over <= 0 ? said : cut(said, said.length - over - JSON.stringify(CUT).length));
}

/** @param isLasting whether another try would fail as well: then it is an answer, and no error */
function failed({ name }: ToolServer, reason: string, isLasting: boolean): ToolOutput {
  const text = `remote agent "${name}" does not answer: ${shortened(reason, MAX_REASON)}`;
  if (!isLasting) return { text: `Error: ${text}`, isError: true };
  const state: RemoteState = { state: 'failed', text };
  return { text: JSON.stringify(state) };
}

/** Whether the request was understood and refused, or could never be made. */
function isLasting(thrown: unknown): boolean {
  if (thrown instanceof A2AError) return thrown.reason !== 'INTERNAL_ERROR';
  return thrown instanceof AgentError || thrown instanceof ConfigError;
}

/** `fetch failed` says nothing; the text behind it does. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof A2AError) return thrown.message;
  for (let at = thrown; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && at.message !== '') return at.message;
  }
  return messageOf(thrown);
}
