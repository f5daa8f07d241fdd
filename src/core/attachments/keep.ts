import { textName, type Attachment, type NewAttachment } from '../records/attachment.ts';
import { attachmentsIn } from '../records/message-texts.ts';
import type { Opened } from '../records/opened.ts';
import type { RunStore } from '../records/ports.ts';
import { refusalOf, takesOf } from './takes.ts';

type Files = Pick<RunStore, 'attachment' | 'saveAttachment'>;

/** Stores the files of a conversation, before the record that names them. @returns what records say of them */
export async function keepShown(
  conversation: Pick<Opened, 'images' | 'model' | 'root'>,
  files: readonly NewAttachment[],
  store: Files,
): Promise<Attachment[]> {
  const kept = await keepFiles(conversation.root, files, store);
  await keepTexts(conversation, kept, store);
  return kept;
}

/** Stores files for the tree of `root`, each once. @returns what records say of them */
export async function keepFiles(
  root: string,
  files: readonly NewAttachment[],
  store: Files,
): Promise<Attachment[]> {
  await Promise.all(
    files.map(({ attachment, bytes }) =>
      store.saveAttachment(root, attachment.hash, { data: Buffer.from(bytes).toString('base64') }),
    ),
  );
  return files.map(({ attachment }) => attachment);
}

/** Stores for another tree the files of a conversation that continues one of `from`. */
export async function copyFiles(
  from: string,
  { root, attachments = [], earlier = [], later = [] }: Omit<Opened, 'model'>,
  store: Files,
): Promise<void> {
  const shown = [...attachments, ...attachmentsIn([...earlier, ...later])];
  const names = new Set(shown.flatMap(({ hash }) => [hash, textName(hash)]));
  for (const name of names) {
    const file = await store.attachment(from, name);
    if (file !== undefined) await store.saveAttachment(root, name, file);
  }
}

/** Stores the texts of documents that cannot be sent to the model of a conversation as they are. */
export async function keepTexts(
  { root, model, images }: Pick<Opened, 'images' | 'model' | 'root'>,
  attachments: readonly Attachment[],
  store: Files,
): Promise<void> {
  const takes = takesOf(model, images);
  for (const attachment of attachments) {
    const { type, hash } = attachment;
    if (type !== 'application/pdf' || refusalOf(attachment, takes) === undefined) continue;
    if ((await store.attachment(root, textName(hash))) !== undefined) continue;
    const file = await store.attachment(root, hash);
    if (file === undefined) continue;
    // Loaded late: its library is larger than all else, and few models need it.
    const { pdfText } = await import('./pdf-text.ts');
    await store.saveAttachment(root, textName(hash), {
      data: await pdfText(Buffer.from(file.data, 'base64')),
    });
  }
}
