import { expect, test } from 'vitest';
import { CALLERS, openDoors } from './deployed-doors.ts';

test('the record of a message keeps who wrote it: the subject of a token, or the signer', async () => {
  const { stage, started, ask } = await openDoors({ kid: () => 'done' }, {});
  const run = await started('ada', 'kid');
  const path = `/runs/${run}/messages`;
  for (const who of ['ada', 'account'] as const) await ask(who, 'POST', path, { text: `from ${who}` });
  const mails = await stage.pipeline.store.mails(run);
  const signer = CALLERS.account.iam.userArn;
  expect(mails.map(({ body, by }) => [body, by])).toEqual([
    ['from ada', 'ada'],
    ['from account', signer],
  ]);
});
