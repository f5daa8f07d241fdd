import { expect, onTestFinished, test } from 'vitest';
import { startCommand, type Command } from '../fixtures/command.ts';
import { startRehearsal } from '../rehearsal/rehearsal.ts';
import { guideSteps, wordsOf } from './guide.ts';
import { beginProject, synth } from './project.ts';

/** What needs an account. In place of the deployment, the stack is synthesised and played on this machine. */
const IN_AN_ACCOUNT = [
  'npx cdk bootstrap',
  'npx cdk deploy -c env=dev',
  'cadre doctor --env dev',
  'npx cdk destroy -c env=dev',
];
const NOTE = 'The printer on floor 2 needs toner.';

test('the hour to a deployed agent goes as its page says', async () => {
  const steps = await guideSteps('first-deployment.md');
  const project = await beginProject({}, 'desk');
  const files = new Map(steps.flatMap((step) => (step.kind === 'file' ? [[step.path, step.content]] : [])));
  for (const [path, content] of files) await project.write(path, content);

  const rehearsal = await startRehearsal({
    agents: { clerk: files.get('agents/clerk.toml') ?? '' },
    modules: { 'file-note': files.get('tools/file-note.ts') ?? '' },
    roles: {
      'sonnet-5-5': ({ turn, results }) =>
        turn === 1 ? [{ tool: 'file_note', input: { note: NOTE } }] : `Done. ${results[0]?.text}`,
    },
  });
  onTestFinished(() => rehearsal.close());

  let printed = '';
  let waiting: Command | undefined;
  const accountSteps: string[] = [];
  for (const step of steps) {
    if (step.kind === 'output') {
      for (const line of step.lines) expect(printed).toContain(line);
    } else if (step.kind === 'command') {
      const { words } = wordsOf(step.command);
      const [program, ...rest] = words;
      if (program === 'npx' && rest[1] === 'synth') {
        expect(await synth(project)).toMatchObject({ code: 0 });
      } else if (IN_AN_ACCOUNT.includes(step.command)) {
        accountSteps.push(step.command);
      } else {
        expect(program).toBe('cadre');
        const command = startCommand(rest, project.folder, rehearsal.environment);
        if (rest[0] === 'run') {
          await command.says('needs approval');
          waiting = command;
        } else {
          const { code, out, err } = await command.ended();
          expect(code, `${step.command}: ${out}${err}`).toBe(0);
          printed = out;
        }
        if (rest[0] === 'answer') {
          expect(await waiting?.ended()).toMatchObject({ code: 0, out: `Done. filed: ${NOTE}` });
        }
      }
    }
  }
  expect(accountSteps).toEqual(IN_AN_ACCOUNT);
});
