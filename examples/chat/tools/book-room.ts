interface Booking {
  room: string;
  day: string;
  hour: number;
}

// In place of your own calendar: book the room there.
export async function handler({ room, day, hour }: Booking) {
  return `${room} is booked on ${day} at ${hour}:00`;
}
