import * as v from 'valibot';

/** Where people are told of questions. Settings may refer to secrets as `${NAME}`, which no file of the project has. */
export interface NotifySettings {
  /** Gets each notification as JSON. */
  webhook?: string | undefined;
  /** With which what the webhook gets is signed. */
  secret?: string | undefined;
  /** An incoming webhook of Slack. */
  slack?: string | undefined;
  /** An e-mail address, in an account. */
  mail?: string | undefined;
  /** The address at which people reach the page and answer links, if it differs from the server's own. */
  url?: string | undefined;
}

const SECRET = /\$\{[A-Za-z_]\w*\}/;
const ADDRESS = 'an http or https URL, or a secret that holds one, "${NAME}"';
const address = (wrong: string) =>
  v.pipe(
    v.string(ADDRESS),
    v.check((text) => SECRET.test(text) || (/^https?:\/\//i.test(text) && URL.canParse(text)), wrong),
  );
/** Many people can read the settings of a deployment, so secrets have to be elsewhere. */
const elsewhere = (what: string) =>
  v.pipe(v.string(what), v.regex(SECRET, `${what}, as a name in the secret NotifySecret: "\${NAME}"`));

const BASE = 'an http or https URL without a path';
const url = (wrong: string) =>
  v.optional(v.pipe(v.string('a URL'), v.regex(/^https?:\/\/[^\s/?#]+$/i, wrong)));

/** `[notify]` in config.toml, which only its owner can read. */
export const LocalNotify = {
  webhook: v.optional(address(`{key} must be ${ADDRESS}`)),
  secret: v.optional(v.pipe(v.string('a string'), v.nonEmpty('{key} must not be empty'))),
  slack: v.optional(address(`{key} must be ${ADDRESS}`)),
  url: url(`{key} must be ${BASE}`),
};

/** `notify` of an environment in cdk.json. */
export const DeployedNotify = {
  webhook: v.optional(address(ADDRESS)),
  secret: v.optional(elsewhere('a text')),
  slack: v.optional(elsewhere("Slack's address")),
  mail: v.optional(v.pipe(v.string('an e-mail address'), v.regex(/^[^\s@:]+@[^\s@]+$/, 'an e-mail address'))),
  url: url(BASE),
};

/** Whether anybody is to be told. */
export function tellsAnybody({ webhook, slack, mail }: NotifySettings = {}): boolean {
  return [webhook, slack, mail].some((one) => one !== undefined);
}
