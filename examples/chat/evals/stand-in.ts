import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { handler } from '../tools/book-room.ts';

// Stands in for tools/: an evaluation books nothing. What would have been booked is in the folder of the case.

export { handler as free_rooms } from '../tools/free-rooms.ts';

export async function book_room(booking: Parameters<typeof handler>[0], given: { workspace: string }) {
  const said = await handler(booking);
  await appendFile(join(given.workspace, 'booked.txt'), `${said}\n`);
  return said;
}
