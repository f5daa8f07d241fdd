import { useEffect, useState } from 'preact/hooks';
import { described } from '../../../core/reports/words/attachment-words.ts';
import type { Conversation } from '../../../core/reports/run-schemas.ts';
import { request } from '../client/api.ts';

type Said = Extract<Conversation['messages'][number], { role: 'user' }>;
type Attachment = NonNullable<Said['attachments']>[number];

export interface AttachmentsProps {
  run: string;
  attachments: readonly Attachment[] | undefined;
}

/** The images and documents beside a text. */
export function Attachments({ run, attachments = [] }: AttachmentsProps) {
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments">
      {attachments.map((attachment) => (
        <li key={attachment.hash}>
          {attachment.type !== 'application/pdf' && <Picture run={run} attachment={attachment} />}
          <span class="muted">{described(attachment)}</span>
        </li>
      ))}
    </ul>
  );
}

/** An image as the model saw it. It is fetched with the token, which a browser sends with no address of an image. */
function Picture({ run, attachment }: { run: string; attachment: Attachment }) {
  const [source, setSource] = useState<string>();
  const { hash, width, height } = attachment;
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    request(`runs/${encodeURIComponent(run)}/attachments/${hash}`, { signal })
      .then(async (response) => toDataUrl(await response.blob()))
      // Its words are there in any case.
      .then(setSource, () => {});
    return () => left.abort();
  }, [run, hash]);
  return source === undefined ? null : <img src={source} alt="" width={width} height={height} />;
}

function toDataUrl(blob: Blob): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(new Error('the image cannot be read')));
    reader.readAsDataURL(blob);
  });
}
