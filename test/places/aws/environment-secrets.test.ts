import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import {
  loginsKey,
  notifySecrets,
  serverSecrets,
  telemetrySecrets,
} from '../../../src/places/aws/environment-secrets.ts';
import { functionLogins } from '../../../src/places/aws/function-logins.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';

/** Of the class, since clients are made where they are used. */
const manager = mockClient(SecretsManagerClient);
beforeEach(() => {
  manager.reset();
  manager.on(GetSecretValueCommand).resolves({ SecretString: '{"TOKEN": "t", "key": "k"}' });
});
afterAll(() => manager.restore());
const asked = () =>
  manager.commandCalls(GetSecretValueCommand).map(({ args: [{ input }] }) => input.SecretId);

test.each([
  ['CADRE_SERVER_SECRETS', 'ServersSecret', serverSecrets],
  ['CADRE_NOTIFY_SECRETS', 'NotifySecret', notifySecrets],
  ['CADRE_TELEMETRY_SECRETS', 'TelemetrySecret', telemetrySecrets],
])('secrets of %s are read once, when one is needed', async (variable, output, open) => {
  expect(await open().secret('TOKEN')).toBeUndefined();
  vi.stubEnv(variable, 'the-secret');
  const { secret, howToGive } = open();
  expect(asked()).toEqual([]);
  expect([await secret('TOKEN'), await secret('other'), asked()]).toEqual(['t', undefined, ['the-secret']]);
  expect(howToGive('TOKEN')).toBe(`add "TOKEN" to the secret ${output} of this environment`);
});

test('the key of sign-ins has to be there', async () => {
  expect([await loginsKey('logins', 'eu-west-1'), asked()]).toEqual(['k', ['logins']]);
  manager.on(GetSecretValueCommand).resolves({ SecretString: '{}' });
  await expect(loginsKey('logins')).rejects.toThrow(
    'the secret LoginsSecret of this environment has no "key"',
  );
});

test('sign-ins of a function are sealed with that key, and say how to sign in', async () => {
  vi.stubEnv('CADRE_LOGINS_SECRET', 'logins');
  vi.stubEnv('CADRE_ENVIRONMENT', 'dev');
  const table = createMemoryTable();
  const of = (owner: string | undefined) => functionLogins(table, owner);
  const login = { tokens: { access_token: 't' } };
  await (await of('ada')).update('https://wiki.example', async () => login);
  expect(await (await of('ada')).read('https://wiki.example')).toEqual(login);
  const words = async () => [(await of(undefined)).howTo('wiki'), (await of('ada')).howTo('wiki')];
  expect(await words()).toEqual([
    'cadre mcp login <agent> wiki --env dev',
    'connect an account of yours at the page of this environment/#/servers',
  ]);
  vi.stubEnv('CADRE_PAGE_URL', 'https://page.example');
  expect((await words())[1]).toBe('connect an account of yours at https://page.example/#/servers');
});
