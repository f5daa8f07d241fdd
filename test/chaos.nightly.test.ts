import { expect, onTestFinished, test } from 'vitest';
import { attack } from '../chaos/campaign.ts';
import { CAMPAIGNS } from '../chaos/campaigns.ts';

test.each(CAMPAIGNS)('the campaign $name finds nothing that breaks', async ({ open }) => {
  const campaign = await open();
  onTestFinished(() => campaign.close());
  expect(await attack(campaign, 8)).toEqual([]);
});
