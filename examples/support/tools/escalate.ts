// In place of your own system: assign the ticket to somebody here.
export async function handler({ ticket, reason }: { ticket: number; reason: string }) {
  console.log(`ticket ${ticket}: ${reason}`);
  return `a colleague has ticket ${ticket} now`;
}
