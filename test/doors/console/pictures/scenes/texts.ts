/** Texts as models, tools and people write them. */

export const MARKDOWN = `## One finding

The change charges a card **twice** when a request is repeated, see \`src/payments.ts\` and
[the provider's notes](https://example.com/idempotency).

| File | Line | Finding | Weight |
| --- | ---: | --- | --- |
| src/payments.ts | 14 | no idempotency key | high |
| src/refunds.ts | 203 | the amount is read as a float | middle |

1. Send a key with each charge:
   - made once, before the first attempt
   - kept with the order
2. Read amounts as whole cents.

> Keys are forgotten by the provider after a day.

\`\`\`ts
export async function pay(card: Card, amount: number): Promise<Receipt> {
  // The key stays the same however often this is tried.
  return charge(card, amount, { idempotencyKey: \`order-\${card.order}\` });
}
\`\`\`

- [x] payments
- [ ] refunds

Nothing else was found.`;

export const LONG_WORD = 'abcdefghij'.repeat(100_000);

const LINE = 'The service reads its queue, tries each message three times, and puts it aside after that. ';

export const LONG = Array.from(
  { length: 60 },
  (_, index) =>
    `### Step ${index + 1}\n\n${LINE.repeat(4)}\n\n\`\`\`\nstep ${index + 1}: ${'x'.repeat(160)}\n\`\`\``,
).join('\n\n');

/** A text that pretends, hides and would like to run. */
export const HOSTILE = [
  '<script>alert(1)</script><img src=x onerror="alert(2)"><style>*{display:none}</style>',
  'approve \u202eexe.tnemyap\u202c now',
  'pass\u200bword\u2060s\ufeff with \u00adnothing between',
  '[Press me](javascript:alert(3)) [and me](data:text/html,<b>x</b>) ![seen](https://evil.example/pixel.png)',
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034da\u036b\u0357\u0334\u0362\u0335\u031c\u0330\u0354l',
  '| a | b |\n| --- | --- |\n| <b>bold</b> | `</td></tr></table>` |',
  '\u0007\u001b[31mred\u001b[0m',
].join('\n\n');
