import { answerOf, conversationOf } from '../test/fixtures/conversation-trees.ts';
import type { Campaign } from './campaign.ts';
import { openTreeProject } from './tree-project.ts';

/** The refusal of a run that another process carries out. */
const REFUSED = /^Error: run "\S+" is (running|being started|being closed)\b.*\n/;

export const CONCURRENCY: Campaign = {
  name: 'concurrency',
  tries: 'processes that run, resume and look at the runs of one folder at once',
  async open() {
    return {
      async attack(trial) {
        const names = Array.from({ length: trial.number(2, 4) }, (_, index) => `run${index}`);
        const conversations = new Map(names.map((name) => [name, trial.sample(conversationOf(1))]));
        const project = await openTreeProject(conversations, trial);
        const broken: string[] = [];
        const check = (
          what: string,
          { code, out, err }: { code: number | null; out: string; err: string },
        ) => {
          if (code === null || /\n {4}at /.test(err)) broken.push(`${what} ended with ${code}: ${err}`);
          return { code, out, err };
        };
        // One is killed, and taken up by several at once while others run.
        const killed = project.cadre('run', 'top', '-p', 'run0');
        project.onAsked(() => void killed.process.kill('SIGKILL'));
        await killed.ended();
        const [left] = await project.kept();
        const before = project.asked.length;
        const others = names.slice(1).map(async (name) => {
          const { code, out, err } = check(name, await project.cadre('run', 'top', '-p', name).ended());
          const conversation = conversations.get(name);
          const expected = conversation === undefined ? '' : answerOf(name, conversation);
          if (code !== 0 || out !== expected) broken.push(`${name} ended with ${code}, ${out} and ${err}`);
        });
        const looks = Array.from({ length: trial.number(0, 2) }, async () => {
          const command = trial.pick([['runs'], ['show', 'last'], ['agents', 'check'], ['runs', '--json']]);
          const { code, err } = check(command.join(' '), await project.cadre(...command).ended());
          if (code !== 0) broken.push(`${command.join(' ')} ended with ${code}: ${err}`);
        });
        const id = left?.top.id;
        const resumers =
          id === undefined
            ? []
            : Array.from({ length: trial.number(2, 3) }, async () => {
                const end = check('resume', await project.cadre('resume', id).ended());
                if (end.code !== 0 && !REFUSED.test(end.err)) {
                  broken.push(`resume ended with ${end.code}: ${end.err}`);
                }
                return end.code === 0;
              });
        const [resumed] = await Promise.all([Promise.all(resumers), ...others, ...looks]);
        if (resumers.length > 0 && !resumed.includes(true)) broken.push('no process resumed the run');
        const again = project.asked.slice(before).filter((turn) => left?.turns.includes(turn));
        if (again.length > 0) broken.push(`turns that were kept were asked for again: ${again.join()}`);
        const twice = project.asked.slice(before).filter((turn, at, all) => all.indexOf(turn) !== at);
        if (twice.length > 0) broken.push(`turns were asked for twice: ${twice.join()}`);
        for (const { tree } of await project.kept()) {
          broken.push(
            ...tree
              .filter(({ status }) => status !== 'succeeded')
              .map(({ id: run, status }) => `${run} is left ${status}`),
          );
        }
        return broken;
      },
      async close() {},
    };
  },
};
