import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';

interface Ended {
  code: number;
  out: string;
}

/** Plays as `npm run simulate` does. */
function simulate(...options: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const given = ['simulate/run.mjs', ...options];
    execFile(process.execPath, given, { maxBuffer: 2 ** 28 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : 1, out: out + err });
    });
  });
}

test('twenty seconds of plays break no law', async () => {
  const { code, out } = await simulate('--seed', '1', '--minutes', '0.33');
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/ plays, \d+ turns in .* 0 broke a law\n$/),
  });
});

test('everything in a play follows from its seed', async () => {
  const steps = async () => {
    const { out } = await simulate('--seed', '77', '--plays', '5', '--trace');
    return out.split('\n').slice(0, -2);
  };
  const once = await steps();
  expect(once.length).toBeGreaterThan(100);
  expect(await steps()).toEqual(once);
});
