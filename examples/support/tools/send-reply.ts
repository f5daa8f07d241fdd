interface Reply {
  ticket: number;
  to: string;
  text: string;
}

// In place of your own system: send the mail here. What this prints is shown by cadre run -v.
export async function handler({ ticket, to, text }: Reply) {
  console.log(`Re: ticket ${ticket}, to ${to}\n${text}`);
  return `sent to ${to}`;
}
