import type { Attachment } from '../../records/attachment.ts';

/** An attachment in words, for people and for models that cannot see: `image/png, 1200 x 800, 240 KB`. */
export function described({ type, bytes, width, height, pages }: Attachment): string {
  return [
    type,
    ...(width === undefined || height === undefined ? [] : [`${width} x ${height}`]),
    ...(pages === undefined ? [] : [`${pages} ${pages === 1 ? 'page' : 'pages'}`]),
    sizeOf(bytes),
  ].join(', ');
}

/** The same as a replacement for the attachment, with the reason why it is missing. */
export function inPlaceOf(attachment: Attachment, reason?: string): string {
  return `[${described(attachment)}${reason === undefined ? '' : `, ${reason}`}]`;
}

/** `24 MB`, `3.8 MB`. */
export function megabytes(bytes: number): string {
  return `${Math.round((bytes / 2 ** 20) * 10) / 10} MB`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  return bytes < 1000 * 1024 ? `${Math.round(bytes / 1024)} KB` : megabytes(bytes);
}
