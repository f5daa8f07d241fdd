import { ConfigError } from '../../errors.ts';
import { UNDER_WAY, isIn } from '../records/phase.ts';
import type { Attachment, NewAttachment, WithAttachments } from '../records/attachment.ts';
import type { Mail } from '../records/mail.ts';
import { withModel } from '../records/with-model.ts';
import type { RunStore } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import { assertSendable, noRun, type PersonsMessage } from './persons-message.ts';
import type { StartingPorts } from './ports.ts';
import { putMail } from './put-mail.ts';
import { defined } from '../../defined.ts';

/**
 * Keeps a person's message for an agent, which the caller has to wake (`wakeForPerson`).
 * @returns the message as it is kept
 * @throws {ConfigError} as `assertSendable` does; if the run is removed meanwhile; if another message with its key was written first
 */
export async function leaveMessage(
  message: PersonsMessage,
  { store, now }: Pick<StartingPorts, 'now' | 'store'>,
): Promise<Mail> {
  const run = await assertSendable(message, store);
  const { by, once, files = [] } = message;
  const body = message.text.trim();
  const sentAt = new Date(now()).toISOString();
  // A person's message resets how often agents may wake each other.
  await store.updateRun(run.root, (top) => {
    const { woken, ...others } = top;
    return woken === undefined ? top : others;
  });
  const attachments = files.length === 0 ? undefined : await keep(run, files, store);
  const kept = await putMail(run, { body, sentAt, ...defined({ attachments, by, once }) }, once, store);
  const current = await store.run(run.id);
  if (current === undefined) {
    // Its tree was removed meanwhile, before the message was there.
    await store.deleteTrees([...new Set([run.root, run.id])]);
    throw noRun(run.id);
  }
  // If the event that delivers it is lost, a sweep finds it.
  if (!isIn(UNDER_WAY, current)) await store.listAsOpen(current);
  const isSame = kept.body === body && hashesOf(kept) === hashesOf(defined({ attachments }));
  if (isSame || kept.isDeleted) return kept;
  throw new ConfigError(
    `another message was written to run "${run.id}" first; read its answer before you write again`,
  );
}

function hashesOf({ attachments = [] }: WithAttachments): string {
  return attachments.map(({ hash }) => hash).join();
}

async function keep(run: Run, files: readonly NewAttachment[], store: RunStore): Promise<Attachment[]> {
  const { keepShown } = await import('../attachments/keep.ts');
  const opened = await store.opened(run.id);
  const model = run.chosenModel ?? run.model;
  const images = opened && withModel(opened, model).images;
  return keepShown({ root: run.root, model, ...defined({ images }) }, files, store);
}
