import { setTimeout as delay } from 'node:timers/promises';
import { answerOf, conversationOf, turnsOf } from '../test/fixtures/conversation-trees.ts';
import type { Campaign } from './campaign.ts';
import { openTreeProject } from './tree-project.ts';

/** How long a run of this size takes from its start to its end, about. */
const MOST_MS = 1_500;

export const CRASH: Campaign = {
  name: 'crash',
  tries: 'runs that are killed and resumed again and again, against undisturbed ones',
  async open() {
    return {
      async attack(trial) {
        const conversation = trial.sample(conversationOf(2));
        const project = await openTreeProject(new Map([['top', conversation]]), trial);
        const broken: string[] = [];
        const begin = async () => {
          const [run] = await project.kept();
          const words = run === undefined ? ['run', 'top', '-p', 'top'] : ['resume', run.top.id];
          return { command: project.cadre(...words), turns: run?.turns ?? [], before: project.asked.length };
        };
        const checkPaid = (turns: readonly string[], before: number) => {
          const again = project.asked.slice(before).filter((turn) => turns.includes(turn));
          if (again.length > 0) broken.push(`turns that were kept were asked for again: ${again.join()}`);
        };
        for (let kills = trial.number(1, 3); kills > 0; kills--) {
          const { command, turns, before } = await begin();
          const kill = () => void command.process.kill('SIGKILL');
          if (trial.number(0, 1) === 0) {
            let left = trial.number(1, turnsOf(conversation));
            project.onAsked(() => void (--left === 0 && kill()));
          } else {
            void delay(trial.number(0, MOST_MS)).then(kill);
          }
          await command.ended();
          checkPaid(turns, before);
        }
        const { command, turns, before } = await begin();
        const { code, out, err } = await command.ended();
        checkPaid(turns, before);
        const expected = answerOf('top', conversation);
        if (code !== 0 || out !== expected) broken.push(`it ended with ${code}, ${out} and ${err}`);
        const [run] = await project.kept();
        const open = run?.tree.filter(({ status }) => status !== 'succeeded') ?? [];
        return [...broken, ...open.map(({ id, status }) => `${id} is left ${status}`)];
      },
      async close() {},
    };
  },
};
