import { kindOf } from '../../../core/attachments/first-bytes.ts';
import { ConfigError } from '../../../errors.ts';

/** What was piped in, for commands that take text alone. @throws {ConfigError} for an image or a document */
export function textOnly(stdin: string | Uint8Array): string {
  if (typeof stdin === 'string') return stdin;
  throw new ConfigError(`stdin is ${kindOf(stdin)?.name}; this command takes only text`);
}
