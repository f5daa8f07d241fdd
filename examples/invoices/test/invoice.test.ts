import { join } from 'node:path';
import { openTestCadre, type Asked } from 'cadre/testing';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const INVOICE = {
  number: '2026-0417',
  date: '2026-11-02',
  seller: 'Mill & Sons',
  currency: 'EUR',
  items: [
    { text: 'bag of flour', quantity: 12, amount: 84 },
    { text: 'delivery', quantity: 1, amount: 9.5 },
  ],
  total: 93.5,
  doubts: [],
};
const NOTHING = {
  number: null,
  date: null,
  seller: null,
  currency: null,
  items: [],
  total: null,
  doubts: ['there is no invoice'],
};
const attached = ({ request }: Asked) =>
  request.messages.flatMap((message) => (message.role === 'user' ? (message.attachments ?? []) : []));

test('invoice is shown the PDF, and answers with JSON', async () => {
  const cadre = await openTestCadre({ folder, models: { invoice: [JSON.stringify(INVOICE)] } });
  const { output } = await cadre.run('invoice', {
    prompt: 'Read this invoice',
    attach: [join(folder, 'evals/mill.pdf')],
  });
  expect(output).toEqual(INVOICE);
  expect(cadre.asked('invoice').flatMap(attached)).toMatchObject([{ type: 'application/pdf' }]);
  await cadre.close();
});

test('invoice is told once what does not fit the schema', async () => {
  const models = { invoice: [JSON.stringify({ ...INVOICE, date: '2 Nov' }), JSON.stringify(INVOICE)] };
  const cadre = await openTestCadre({ folder, models });
  const { output } = await cadre.run('invoice', { prompt: 'Read this invoice' });
  expect(output).toEqual(INVOICE);
  expect(JSON.stringify(cadre.asked('invoice')[1]?.request.messages)).toContain('date');
  await cadre.close();
});

test('invoice passes its evaluation with a model that reads what is there', async () => {
  const models = {
    invoice: (asked: Asked) => JSON.stringify(attached(asked).length === 0 ? NOTHING : INVOICE),
  };
  const cadre = await openTestCadre({ folder, models });
  const { cases } = await cadre.evaluate('evals/invoice.toml');
  expect(cases.filter(({ passed }) => passed < 1)).toEqual([]);
  await cadre.close();
});
