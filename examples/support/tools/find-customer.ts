// In place of your own system: ask it here.
const CUSTOMERS = [
  {
    email: 'ada@example.com',
    plan: 'team',
    payments: ['2026-10-02 $40', '2026-10-02 $40 (returned 2026-10-05)'],
  },
  { email: 'ben@example.com', plan: 'free', payments: [] },
];

export async function handler({ email }: { email: string }) {
  const found = CUSTOMERS.find((customer) => customer.email === email);
  if (found === undefined) throw new Error(`there is no customer with the address ${email}`);
  return found;
}
