import { ConfigError } from '../../src/errors.ts';
import type { Run } from '../../src/core/records/run.ts';
import type { Choices } from '../choices.ts';
import type { Account } from '../world/account.ts';

const MORE_TOKENS = 20_000;

/**
 * An act of a person on a tree. A refusal is not a fault.
 * @param noteMore told of what is added to its budget
 */
export async function actOf(
  account: Account,
  root: string,
  choices: Choices,
  nextText: () => string,
  noteMore: (tokens: number) => void,
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
    () => [
      `adds ${MORE_TOKENS} tokens to ${root}, and resumes it`,
      async () => {
        noteMore(MORE_TOKENS);
        await people.addBudget(root, MORE_TOKENS);
        await people.resume(root);
      },
    ],
    (run) => {
      const text = nextText();
      return [`writes ${text} to a copy of ${run.id}`, () => people.fork(run, text)];
    },
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

/** What somebody does to an agent whose answer is being stored: stops it, or writes to it if it has answered. */
export async function interfere(
  { people, bare }: Account,
  id: string,
  addition: string | undefined,
  trace: (line: string) => void,
): Promise<void> {
  const run = await bare.run(id);
  if (run === undefined) return;
  trace(
    `a person ${addition === undefined ? 'stops' : `adds ${addition} for`} ${id}, whose answer is being stored`,
  );
  const act = addition === undefined ? people.stop(run.execution) : people.send(id, addition);
  void act.catch((thrown: unknown) => {
    if (!isRefusal(thrown)) throw thrown;
  });
}

function isRefusal(thrown: unknown): thrown is Error {
  return thrown instanceof ConfigError || (thrown instanceof Error && thrown.name !== 'TypeError');
}
