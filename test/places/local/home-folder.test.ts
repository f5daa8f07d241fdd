import { userInfo } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { configFolder } from '../../../src/authoring/config/config-folder.ts';
import { homeFolder } from '../../../src/places/local/home-folder.ts';

test.each([[''], ['./here'], ['.']])(
  'HOME=%j is no home: what a folder holds would be taken for what its user trusts',
  (HOME) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('HOME', HOME);
    const { homedir } = userInfo();
    expect([homeFolder({ HOME }), configFolder({ HOME })]).toEqual([homedir, `${homedir}/.config/cadre`]);
  },
);

test('HOME is the home, and where a program gives none, that of this process', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('HOME', '/home/process');
  expect([homeFolder({ HOME: '/home/me' }), homeFolder({})]).toEqual(['/home/me', '/home/process']);
});
