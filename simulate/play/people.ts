import * as v from 'valibot';
import { ConfigError } from '../../src/errors.ts';
import type { Json } from '../../src/json.ts';
import type { Run } from '../../src/core/records/run.ts';
import type { Choices } from '../choices.ts';
import type { Account } from '../world/account.ts';

/** An act of a person on a tree. A refusal is not a fault. */
export async function actOf(
  account: Account,
  root: string,
  choices: Choices,
  nextText: () => string,
  trace: (line: string) => void,
): Promise<void> {
  const { people, bare } = account;
  const tree = await bare.tree(root);
  const [top] = tree;
  if (top === undefined) return;
  const acts: readonly ((run: Run) => [string, () => Promise<unknown>])[] = [
    (run) => {
      const text = nextText();
      return [`writes ${text} to ${run.id}`, () => people.send(run.id, text)];
    },
    () => {
      const line = nextText().replace('p', 'w');
      return [`writes ${line} into the file`, async () => account.bucket.write(root, line)];
    },
    () => [`resumes ${root}`, () => people.resume(root)],
    () => [`stops ${top.execution}`, () => people.stop(top.execution)],
    (run) => [`stops ${run.execution}`, () => people.stop(run.execution)],
    (run) => [`kills ${run.id}`, () => people.kill(run)],
  ];
  const [what, act] = choices.pick(acts)(choices.pick(tree));
  trace(`a person ${what}`);
  void act().catch((thrown: unknown) => {
    if (!isRefusal(thrown)) throw thrown;
    trace(`refused: ${thrown.message}`);
  });
}

/** The longest between a stop and the redrive that follows it, in milliseconds. */
const MOST_PATIENCE_MS = 20_000;

/** Somebody stops an execution in the console of Step Functions, and then has it start again where it was. */
export async function stopAndRedrive(
  { people, bare, time }: Account,
  root: string,
  { pick, upTo }: Choices,
  trace: (line: string) => void,
): Promise<void> {
  const carried = (await bare.tree(root)).filter((run) => run.execution !== '');
  if (carried.length === 0) return;
  const { execution } = pick(carried);
  trace(`a person stops ${execution}, and redrives it`);
  try {
    await people.stop(execution);
    await time.pause(upTo(MOST_PATIENCE_MS));
    await people.redrive(execution);
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    trace(`refused: ${thrown.message}`);
  }
}

/** What opens a sub-agent. */
const Opening = v.object({ input: v.object({ parent: v.object({ run: v.string() }) }) });

/** Somebody stops a caller just when a sub-agent of it is being opened. */
export function stopCaller(
  { people, time }: Account,
  runOf: (id: string) => Run | undefined,
  payload: Json,
  { upTo }: Choices,
  trace: (line: string) => void,
): void {
  const opening = v.safeParse(Opening, payload);
  if (!opening.success) return;
  time.after(upTo(MOST_HASTE_MS), () => {
    const caller = runOf(opening.output.input.parent.run);
    if (caller === undefined) return;
    trace(`a person stops ${caller.execution}`);
    void people.stop(caller.execution).catch((thrown: unknown) => {
      if (!isRefusal(thrown)) throw thrown;
    });
  });
}

const MOST_HASTE_MS = 1_000;

function isRefusal(thrown: unknown): thrown is Error {
  return thrown instanceof ConfigError || (thrown instanceof Error && thrown.name !== 'TypeError');
}
