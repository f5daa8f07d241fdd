import { expect, test } from 'vitest';
import { startCommand } from '../../fixtures/command.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

test('a question outlives the process that asked: the run is resumed, and the question answered by another', async () => {
  const conversations = [
    {
      turns: [
        { calls: [{ name: 'ask_user', arguments: { question: 'Go on?' } }] },
        { text: 'told: {{results}}' },
      ],
    },
  ];
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "scripted/s.json"\ntools = ["ask_user"]\n',
    's.json': JSON.stringify({ conversations }),
  });
  const killed = async (...args: string[]) => {
    const command = startCommand(args, cwd);
    await command.says('cadre answer');
    const [, run = ''] = /cadre answer (\S+) t1c1/.exec(command.err) ?? [];
    command.process.kill('SIGKILL');
    await command.ended();
    return run;
  };
  const run = await killed('run', 'top', '-p', 'go');
  expect(await killed('resume', run)).toBe(run);
  const resumed = startCommand(['resume', run], cwd);
  await resumed.says('cadre answer');
  expect(await startCommand(['answer', run, 'yes'], cwd).ended()).toEqual({ code: 0, out: '', err: '' });
  expect(await resumed.ended()).toMatchObject({ code: 0, out: 'told: yes' });

  const left = await killed('run', 'top', '-p', 'go');
  expect((await startCommand(['questions'], cwd).ended()).out).toContain(`cadre answer ${left} t1c1`);
  expect(await startCommand(['answer', left, 'later'], cwd).ended()).toEqual({
    code: 0,
    out: '',
    err: `no process carries the run out now; continue it with: cadre resume ${left}\n`,
  });
  expect(await startCommand(['resume', left], cwd).ended()).toMatchObject({ code: 0, out: 'told: later' });
});
