import { format } from 'prettier';
import { CONVERSATION } from '../src/core/machine/conversation.ts';

/** `infra/conversation.asl.json`: the machine of `src/core/machine/` as the service takes it. */
export function definitionText(): Promise<string> {
  return format(JSON.stringify(CONVERSATION), { parser: 'json', printWidth: 110 });
}
