import { crc32, deflateSync } from 'node:zlib';

/** A drawn picture in few colours. */
export interface FlatPicture {
  width: number;
  height: number;
  /** Red, green and blue of at most 256 colours. */
  palette: Uint8Array;
  /** The number of its colour for each point, line by line. */
  points: Uint8Array;
}

/** Writes a PNG of indexed colours, which is a fifth of one with all of them: page after page of letters on few grounds. */
export function toPng({ width, height, palette, points }: FlatPicture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits each, by their place in the palette (PNG, 11.2.1).
  header.set([8, 3, 0, 0, 0], 8);
  // Each line begins with its filter: none.
  const lines = Buffer.alloc((width + 1) * height);
  for (let line = 0; line < height; line++) {
    lines.set(points.subarray(line * width, (line + 1) * width), line * (width + 1) + 1);
  }
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', new Uint8Array()),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
