import { ConfigError } from '../../errors.ts';

/** Where the secrets are that headers and variables refer to with `${NAME}`. They are never stored. */
export interface Secrets {
  /**
   * @returns undefined where there is no such secret
   * @throws {ConfigError | StoreError} if secrets cannot be read
   */
  secret(name: string): Promise<string | undefined>;
  /** The advice about a secret that is missing, in words: `set DOCS_TOKEN in the environment`. */
  howToGive(name: string): string;
}

export const NO_SECRETS: Secrets = {
  secret: () => Promise.resolve(undefined),
  howToGive: () => 'there are none here',
};

/** Headers or variables with secrets in their places. */
export interface FilledIn {
  sent: Record<string, string>;
  /** A text without the secrets in them. */
  redact(text: string): string;
}

/** The names of the secrets that texts refer to with `${NAME}`, each once. */
export function secretsNamed(texts: Iterable<string>): string[] {
  return [...new Set([...texts].flatMap((text) => [...text.matchAll(SECRET)].map(([, name = '']) => name)))];
}

const SECRET = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Headers or variables with each `${NAME}` replaced by its secret.
 * @param whose their purpose, in words: `server "docs"`
 * @throws {ConfigError} that names a secret which is missing
 */
export async function fillIn(
  written: Readonly<Record<string, string>>,
  whose: string,
  { secret, howToGive }: Secrets,
): Promise<FilledIn> {
  const secrets = new Map<string, string>();
  for (const name of secretsNamed(Object.values(written))) {
    const value = await secret(name);
    if (value === undefined) throw new ConfigError(`${whose} needs the secret ${name}: ${howToGive(name)}`);
    secrets.set(name, value);
  }
  const filled = (text: string) => text.replace(SECRET, (_, name: string) => secrets.get(name) ?? '');
  const sent = Object.fromEntries(Object.entries(written).map(([name, text]) => [name, filled(text)]));
  return { sent, redact: (text) => withoutSecrets(text, secrets.values()) };
}

/** Shorter ones than this stand in every other text by chance. */
const MIN_SECRET_CHARACTERS = 6;

/** A text without secrets: a server that was told one may repeat it in an answer or an error, and both are kept. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  return (
    [...secrets]
      .filter((secret) => secret.length >= MIN_SECRET_CHARACTERS)
      .flatMap((secret) => [...new Set([secret, JSON.stringify(secret).slice(1, -1)])])
      // Longest first: one may be the beginning of another, whose rest would be left.
      .sort((one, other) => other.length - one.length)
      .reduce((all, secret) => all.replaceAll(secret, '[secret]'), text)
  );
}
