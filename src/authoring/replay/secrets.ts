import { SECRET_NAME } from '../../core/records/secret-name.ts';

/** A value that is known to be secret, and what it is called. */
export type Secret = readonly [name: string, value: string];

/** Shorter values are in too many texts by chance. */
const SHORTEST = 8;
/** Lines of a key, for example; shorter ones of a text may be anything. */
const SHORTEST_LINE = 16;

/** An address with a password in it, such as that of a database. */
const WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@]*?:(?<password>[^\s/]+)@/i;

/** The secrets of an environment: variables with telling names, and passwords in addresses. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): Secret[] {
  return Object.entries(env).flatMap(([name, value = '']): Secret[] => {
    if (SECRET_NAME.test(name)) return [[name, value.trim()]];
    const password = WITH_PASSWORD.exec(value)?.groups?.['password'];
    return password === undefined ? [] : [[name, password]];
  });
}

/** Puts the names of secrets in place of them, in any form that a text has them in. */
export function createRedaction(secrets: readonly Secret[]): (text: string) => string {
  const known = secrets
    .filter(([, value]) => value.length >= SHORTEST)
    .flatMap(([name, value]) => formsOf(value).map((form): Secret => [`[${name}]`, form]))
    .sort(([, one], [, other]) => other.length - one.length);
  return (text) => known.reduce((rest, [name, form]) => rest.replaceAll(form, name), text);
}

/** As it is, line by line, in JSON, in JSON within JSON, and in a URL. */
function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE);
  const forms = [value, decoded(value), ...lines].flatMap((form) => {
    const escaped = escape(form);
    return [form, escaped, escape(escaped), encodeURIComponent(form.toWellFormed())];
  });
  return [...new Set(forms)];
}

function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
