import type { ModelRequest } from '../core/model/model.ts';
import type { Attachment, AttachmentType } from '../core/records/attachment.ts';

/**
 * A request with the files that its model is shown, and with words in the place of those that it is not. Nothing is done
 * where nothing is attached.
 * @param sees asks the server whether the model sees images, where its name does not tell; absent: it does not
 */
export async function withFiles(request: ModelRequest, sees?: () => Promise<boolean>): Promise<ModelRequest> {
  if (request.showing === undefined) return request;
  return (await import('./load-files.ts')).loadFiles(request, request.showing, sees);
}

/** The bytes of an attachment in base64. */
export function dataOf({ files }: Pick<ModelRequest, 'files'>, { hash }: Attachment): string {
  return files?.get(hash) ?? '';
}

export function dataUrl(request: Pick<ModelRequest, 'files'>, attachment: Attachment): string {
  return `data:${attachment.type};base64,${dataOf(request, attachment)}`;
}

export function isDocument({ type }: { type: AttachmentType }): boolean {
  return type === 'application/pdf';
}
