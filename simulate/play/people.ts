import { ConfigError } from '../../src/errors.ts';
import type { Run } from '../../src/core/records/run.ts';
import type { Choices } from '../choices.ts';
import type { Account } from '../world/account.ts';

/** Something that a person does to a tree, in its time. What is refused is no fault. */
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

function isRefusal(thrown: unknown): thrown is Error {
  return thrown instanceof ConfigError || (thrown instanceof Error && thrown.name !== 'TypeError');
}
