import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { createSecretKeys } from '../../../src/places/aws/secret-keys.ts';

const FIVE_MINUTES = 5 * 60_000;

const client = new SecretsManagerClient({});
const secrets = mockClient(client);
beforeEach(() => void secrets.reset());

/** Secrets Manager with these texts of the secret, or errors, one after another. */
function openKeys(...answers: (string | Error)[]) {
  const behaviour = secrets.on(GetSecretValueCommand);
  for (const answer of answers) {
    if (typeof answer === 'string') behaviour.resolvesOnce({ SecretString: answer });
    else behaviour.rejectsOnce(answer);
  }
  const clock = { now: 0 };
  const keys = createSecretKeys(client, 'keys-of-dev', () => clock.now);
  return { clock, keyOf: async (provider: string) => (await keys())(provider) };
}

test('keys are read once, and again after five minutes, so that a new one comes into use', async () => {
  const { clock, keyOf } = openKeys('{"openai": "first"}', '{"openai": "second"}');
  expect(await Promise.all([keyOf('openai'), keyOf('anthropic')])).toEqual(['first', undefined]);
  clock.now = FIVE_MINUTES - 1;
  expect(await keyOf('openai')).toBe('first');
  clock.now = FIVE_MINUTES;
  expect(await keyOf('openai')).toBe('second');
  expect(secrets.commandCalls(GetSecretValueCommand).map(({ args }) => args[0].input)).toEqual([
    { SecretId: 'keys-of-dev' },
    { SecretId: 'keys-of-dev' },
  ]);
});

test('a reading that failed is not kept, and says why it failed', async () => {
  const refusal = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
  const { keyOf } = openKeys(refusal, '{"openai": "key"}');
  await expect(keyOf('openai')).rejects.toMatchObject({
    name: 'StoreUnavailableError',
    message:
      'cannot read the secret "keys-of-dev": too many requests (ThrottlingException: Rate exceeded): try again later or raise its limits',
  });
  expect(await keyOf('openai')).toBe('key');
});

test.each(['sk-live-1234', '{"openai": {"key": "sk-live-1234"}}'])(
  'a secret of another form is refused without a word of what is in it: %s',
  async (text) => {
    const { keyOf } = openKeys(text);
    await expect(keyOf('openai')).rejects.toMatchObject({
      name: 'ConfigError',
      message: 'the secret "keys-of-dev" is not a JSON object of keys by provider, {"anthropic": "…"}',
    });
  },
);

test('a key of which only the name is in every object is missing', async () => {
  const { keyOf } = openKeys('{"openai": "key"}');
  expect(await keyOf('constructor')).toBeUndefined();
});
