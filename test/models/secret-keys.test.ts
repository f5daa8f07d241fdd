import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, onTestFinished, test } from 'vitest';
import { createSecretKeys } from '../../src/models/secret-keys.ts';
import { serveOnLoopback } from '../fixtures/loopback.ts';

const FIVE_MINUTES = 5 * 60_000;

/** Secrets Manager with these answers, one after another, each a secret's text or a status. */
async function openKeys(...answers: (string | number)[]) {
  const server = await serveOnLoopback((_, response) => {
    const answer = answers.shift();
    response.writeHead(typeof answer === 'number' ? answer : 200, {
      'content-type': 'application/x-amz-json-1.1',
    });
    response.end(
      JSON.stringify(typeof answer === 'string' ? { SecretString: answer } : { __type: 'Refused' }),
    );
  });
  onTestFinished(() => server.close());
  const client = new SecretsManagerClient({
    endpoint: server.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });
  const clock = { now: 0 };
  const keys = createSecretKeys(client, 'keys-of-dev', () => clock.now);
  return { clock, keyOf: async (provider: string) => (await keys())(provider) };
}

test('keys are read once and again after five minutes, so that a new one comes into use', async () => {
  const { clock, keyOf } = await openKeys('{"openai": "first"}', '{"openai": "second"}');
  expect(await keyOf('openai')).toBe('first');
  expect(await keyOf('anthropic')).toBeUndefined();
  clock.now = FIVE_MINUTES - 1;
  expect(await keyOf('openai')).toBe('first');
  clock.now = FIVE_MINUTES;
  expect(await keyOf('openai')).toBe('second');
});

test('a reading that failed is not kept', async () => {
  const { keyOf } = await openKeys(400, '{"openai": "key"}');
  await expect(keyOf('openai')).rejects.toMatchObject({ name: 'Refused' });
  expect(await keyOf('openai')).toBe('key');
});

test('a secret of another form is told of without what is in it', async () => {
  const { keyOf } = await openKeys('sk-live-1234');
  await expect(keyOf('openai')).rejects.toMatchObject({
    name: 'ConfigError',
    message: 'the secret "keys-of-dev" is not a JSON object of keys by provider, {"anthropic": "…"}',
  });
});
