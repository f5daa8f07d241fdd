import { createDynamoTable } from '../src/places/aws/store/dynamodb/table.ts';
import { play } from '../test/account/scenario.ts';
import { faultsOf, SCENARIOS } from '../test/core/turn/deaths.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../test/fixtures/dynamodb.ts';
import { startLossyProxy } from '../test/fixtures/lossy-proxy.ts';
import type { Campaign } from './campaign.ts';

/** So that an attack takes seconds: a request that is not answered is given up after this, and repeated. */
const SILENCE_MS = 100;

/** The end of an execution may come before its run is opened, which takes long here. */
const SWEPT = { lost: 0, doubled: 0, late: 0 };

const LOSSES = ['request', 'answer', 'connection'] as const;

export const CONNECTION: Campaign = {
  name: 'connection',
  tries: 'connections to DynamoDB that die before a request, or before its answer',
  async open() {
    const server = await startDynamoDb();
    await createDynamoDbTable(server.endpoint, 'cadre');
    const proxy = await startLossyProxy(server.endpoint);
    const client = dynamoDbClient(proxy.endpoint, {
      requestHandler: {
        requestTimeout: SILENCE_MS,
        socketTimeout: SILENCE_MS,
        throwOnRequestTimeout: true,
      },
    });
    const table = createDynamoTable({ client, tableName: 'cadre' });
    return {
      async attack(trial) {
        const [what, scenario] = trial.pick(SCENARIOS);
        let left = trial.number(1, 12);
        proxy.lose(() => {
          if (left === 0 || trial.number(0, 15) > 0) return undefined;
          left -= 1;
          return trial.pick(LOSSES);
        });
        trial.defer(() => proxy.lose(() => undefined));
        const seed = trial.number(0, 2 ** 31 - 1);
        return faultsOf(await play({ ...scenario, seed, delivery: SWEPT }, table)).map(
          (one) => `${what}: ${one}`,
        );
      },
      async close() {
        await table.close();
        await proxy.close();
        await server.close();
      },
    };
  },
};
