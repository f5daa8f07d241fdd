import { AgentError } from '../../errors.ts';
import type { Showing } from '../model/model.ts';
import { isHash } from '../records/attachment.ts';
import type { Opened } from '../records/opened.ts';
import type { RunReads } from '../records/ports.ts';
import { leftOut } from './left-out.ts';
import { takesOf } from './takes.ts';
import { tokensOf } from './tokens.ts';

/**
 * How the model of a conversation is shown what is attached to its messages.
 * @param store the files of its tree, and of the trees that it inherits messages from
 */
export function showingOf(
  { model, images, root, history = [] }: Pick<Opened, 'model' | 'images' | 'root' | 'history'>,
  store: Pick<RunReads, 'attachment' | 'opened'>,
): Showing {
  const takes = takesOf(model, images);
  return {
    takes,
    tokensOf: (attachment) => tokensOf(attachment, model, takes),
    leftOut: (attachments) => leftOut(attachments, takes),
    async read(name) {
      const own = await store.attachment(root, name);
      if (own !== undefined) return own;
      for (const { run } of history) {
        const other = (await store.opened(run))?.root ?? root;
        const file = other === root ? undefined : await store.attachment(other, name);
        if (file !== undefined) return file;
      }
      if (isHash(name)) throw new AgentError(`an attachment of this conversation has been deleted (${name})`);
      return undefined;
    },
  };
}
