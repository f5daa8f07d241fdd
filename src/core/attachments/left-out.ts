import type { Attachment } from '../records/attachment.ts';
import { refusalOf, type Takes } from './takes.ts';

/** What is sent of a conversation once attachments had to be left out; the next time is some turns later. */
const FILLED = 0.5;

/** How many attachments are left out, the oldest first, so that a request has room for the rest. */
export function leftOut(attachments: readonly Attachment[], takes: Takes): number {
  if (isTaken(attachments, takes, 1)) return 0;
  for (let count = 1; count < attachments.length; count++) {
    if (isTaken(attachments.slice(count), takes, FILLED)) return count;
  }
  // One file may be larger than half of what a request may have.
  const last = attachments.slice(-1);
  return isTaken(last, takes, 1) ? attachments.length - 1 : attachments.length;
}

/** Whether a request may have so many. @param part of what it may have */
function isTaken(attachments: readonly Attachment[], takes: Takes, part: number): boolean {
  const { limits } = takes;
  const shown = attachments.filter((one) => refusalOf(one, takes) === undefined);
  const images = shown.filter(({ type }) => type !== 'application/pdf');
  const documents = shown.filter(({ type }) => type === 'application/pdf');
  const most =
    limits.crowd !== undefined && images.length > limits.crowd.above ? limits.crowd.pixels : Infinity;
  return (
    sum(shown, ({ bytes }) => bytes) <= limits.bytes * part &&
    images.length <= limits.images * part &&
    documents.length <= Math.max(1, limits.documents * part) &&
    sum(documents, ({ pages = 0 }) => pages) <= limits.pages * part &&
    images.every(({ width = 0, height = 0 }) => Math.max(width, height) <= most)
  );
}

function sum(attachments: readonly Attachment[], count: (one: Attachment) => number): number {
  return attachments.reduce((total, one) => total + count(one), 0);
}
