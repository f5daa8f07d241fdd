import type { AttachmentType } from '../records/attachment.ts';

/** The size of an image in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** The size that an image's header gives; undefined where it gives none, or is damaged. */
export function imageSize(type: AttachmentType, bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = READERS[type]?.(view);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // It ends before its header does.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const READERS: Partial<Record<AttachmentType, (view: DataView) => ImageSize | undefined>> = {
  'image/png': (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  'image/gif': (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
};

/** Markers of a frame, which has the size: SOF0 to SOF15 without those that begin tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Markers without a segment: TEM, and the restarts and the start of the image. */
const isBare = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/** https://www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    // Any number of these may stand in front of a marker.
    if (marker === 0xff) at += 1;
    else if (isBare(marker)) at += 2;
    else if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(view: DataView): ImageSize | undefined {
  switch (view.getUint8(15)) {
    case 0x20: // "VP8 ": a lossy image
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x4c: {
      // "VP8L": a lossless one
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x58: // "VP8X": one with more than pixels
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 2 ** 16;
}
