import { ModelError } from '../../src/errors.ts';
import { latch, type Latch } from '../fixtures/stage.ts';

/** The lines of the contract's agents, in any environment. */

/** The request to a model. */
export interface Heard {
  /** Which turn of its conversation, from 1. */
  turn: number;
  /** The first message. */
  message: string;
  /** The text that came last from a person or another agent; "" if results of calls came last. */
  told: string;
  results: string[];
  /** Waits for so many milliseconds of the environment's time. */
  sleep(ms: number): Promise<void>;
}

export type Said = string | { tool: string; input: Record<string, unknown> }[];
export type ContractRole = (heard: Heard) => Said | Promise<Said>;

/** By a word of the first message, the agents that wait to be let on. */
const gates = new Map<string, { reached: Latch; way: Latch }>();
let words = 0;

export interface Gate {
  /** The text that a prompt has to contain. */
  word: string;
  /** Resolved once an agent waits there. */
  reached: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const word = `gate${++words};`;
  const [reached, way] = [latch(), latch()];
  gates.set(word, { reached, way });
  return { word, reached: reached.opened, open: way.open };
}

async function pass(message: string): Promise<void> {
  for (const [word, { reached, way }] of gates) {
    if (!message.includes(word)) continue;
    reached.open();
    await way.opened;
  }
}

/** Lets every agent on that still waits. */
export function openGates(): void {
  for (const { way } of gates.values()) way.open();
}

const PATIENT = 'patience = "1h"\n';

/** The keys of their files beside their names and models. */
export const CONTRACT_AGENTS: Readonly<Record<string, string>> = {
  echo: '',
  worker: '',
  boss: 'sub_agents = ["worker"]\n',
  asker: `tools = ["ask_user"]\n${PATIENT}`,
  editor: `tools = ["write_file"]\n${PATIENT}[permissions]\nask = ["write_file"]\n`,
  late: '',
  broken: '[retry]\nmax_retries = 0\n',
};

export const CONTRACT_ROLES: Readonly<Record<string, ContractRole>> = {
  echo: ({ told }) => `echo: ${told}`,
  async worker({ message, told }) {
    await pass(message);
    return `worked: ${told}`;
  },
  boss: ({ turn, message, told, results }) => {
    if (turn === 1) return [{ tool: 'call_agent', input: { agent: 'worker', task: message } }];
    return results.length > 0 ? `heard: ${results.join()}` : `boss: ${told}`;
  },
  asker: ({ turn, results }) =>
    turn === 1
      ? [{ tool: 'ask_user', input: { question: 'Which one?', choices: ['red', 'blue'] } }]
      : `you said ${results.join()}`,
  editor: ({ turn, message, results }) =>
    turn <= Number(message)
      ? [{ tool: 'write_file', input: { path: `note${turn}.txt`, content: 'a note' } }]
      : results.join(),
  async late({ sleep }) {
    await sleep(60_000);
    return 'too late';
  },
  broken() {
    throw new ModelError('bad_request', 'there is no such model');
  },
};
