import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';

const database = new DynamoDBClient({});

/** What the agent calls as record_order. */
export async function handler({ number, items }) {
  try {
    await database.send(
      new PutItemCommand({
        TableName: process.env.ORDERS,
        Item: { number: { S: number }, items: { S: JSON.stringify(items) } },
        ConditionExpression: 'attribute_not_exists(#number)',
        ExpressionAttributeNames: { '#number': 'number' },
      }),
    );
    return `recorded ${number}`;
  } catch (error) {
    if (error.name !== 'ConditionalCheckFailedException') throw error;
    return `${number} is there already`;
  }
}
