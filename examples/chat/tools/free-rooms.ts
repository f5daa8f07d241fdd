// In place of your own calendar: ask it here.
const ROOMS = [
  { room: 'Elm', seats: 4, busy: [9, 10, 14] },
  { room: 'Oak', seats: 12, busy: [11] },
];
const HOURS = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17];

export async function handler({ day }: { day: string }) {
  return ROOMS.map(({ room, seats, busy }) => ({
    day,
    room,
    seats,
    free: HOURS.filter((hour) => !busy.includes(hour)),
  }));
}
