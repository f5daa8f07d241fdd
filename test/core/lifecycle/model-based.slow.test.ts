import { expect, test } from 'vitest';
import { dynamoDbTable } from '../../fixtures/both-tables.ts';
import { playTrees } from './play-trees.ts';

test('a tree in DynamoDB is as the plain model has it', async () => {
  const table = await dynamoDbTable();
  await expect(playTrees(() => table, 2)).resolves.toBeUndefined();
});
