import { startRun } from '../../conversation/start.ts';
import { ConfigError, messageOf } from '../../errors.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { findAgent } from '../../runs/arrivals.ts';
import { newRunId } from '../../runs/run-id.ts';
import { isUnderWay, nameOf, resultOf, type Run, type RunRequest } from '../../runs/run.ts';
import { failureText } from '../terminal/closing-text.ts';

/** What a session shows, wherever that is. */
export interface ChatScreen {
  /** What an agent has answered. */
  answer(agent: string, text: string): void;
  /** Everything else that a person is told. */
  tell(text: string): void;
}

export interface ChatPorts {
  pipeline: Pipeline;
  /** What the first message of a new conversation starts. */
  toRequest(prompt: string): RunRequest;
  screen: ChatScreen;
  now: () => number;
  /** Who writes, if that is known. */
  user?: string | undefined;
}

/** A person's conversation with the agents of one tree, one of them at a time. */
export interface Session {
  /** The agent that is talked to; undefined until the first message. */
  current(): Run | undefined;
  /** All agents of the tree. */
  tree(): Promise<Run[]>;
  /** Talks to another agent from now on. */
  turnTo(run: Run): void;
  /** @throws {ConfigError} if none goes by that uuid or name */
  find(agent: string): Promise<Run>;
  /** Says something to the agent, and shows what it answers; to one that works, it is one more message. */
  say(text: string): Promise<void>;
  /** Stops what is under way. */
  stop(cause: string): Promise<void>;
}

/** @param from the run to go on with; undefined for a new one */
export function createSession(from: Run | undefined, ports: ChatPorts): Session {
  const { pipeline, screen, toRequest, now, user } = ports;
  const { store, executions } = pipeline;
  let current = from;
  let isBusy = false;

  async function begin(prompt: string): Promise<string> {
    const request = toRequest(prompt);
    const id = newRunId(request.agent, now());
    await pipeline.carryOut(id, async () => {
      const execution = await startRun(id, request, pipeline);
      await executions.wait(execution);
    });
    return id;
  }

  async function goOn(run: Run, text: string): Promise<string> {
    await pipeline.carryOut(run.id, async () => {
      const execution = await pipeline.send({ run: run.id, text, by: user });
      if (execution !== undefined) await executions.wait(execution);
    });
    return run.id;
  }

  async function show(id: string): Promise<void> {
    const run = await store.run(id);
    if (run === undefined) return;
    current = current === undefined || current.id === id ? run : current;
    const text = resultOf(run, await store.turns(id));
    if (run.failure === undefined) screen.answer(nameOf(run), text);
    else screen.tell(`Error: ${failureText(run)}\n`);
    if (run.exceeded !== undefined) screen.tell(`${run.exceeded}\n`);
  }

  const tree = async () => (current === undefined ? [] : store.tree(current.root));

  return {
    current: () => current,
    tree,
    turnTo: (run) => void (current = run),
    async find(agent) {
      const run = findAgent(await tree(), agent);
      if (run === undefined) throw new ConfigError(`Agent not found: ${agent}`);
      return run;
    },

    async say(text) {
      if (isBusy && current !== undefined) {
        await pipeline.send({ run: current.id, text, by: user });
        return;
      }
      isBusy = true;
      try {
        await show(current === undefined ? await begin(text) : await goOn(current, text));
      } catch (thrown) {
        if (!(thrown instanceof ConfigError)) throw thrown;
        screen.tell(`Error: ${messageOf(thrown)}\n`);
      } finally {
        isBusy = false;
      }
    },

    async stop(cause) {
      for (const run of await tree()) {
        if (run.parent === undefined && isUnderWay(run)) await executions.stop(run.execution, cause);
      }
    },
  };
}
