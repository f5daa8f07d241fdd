import { createDynamoTable } from '../src/places/aws/store/dynamodb/table.ts';
import { play, type Played } from '../test/account/scenario.ts';
import { faultsOf, SCENARIOS } from '../test/core/turn/deaths.ts';
import { createDynamoDbTable, dynamoDbClient, startDynamoDb } from '../test/fixtures/dynamodb.ts';
import { startLossyProxy } from '../test/fixtures/lossy-proxy.ts';
import type { Campaign } from './campaign.ts';

/** So that an attack takes seconds: a request that is not answered is given up after this, and repeated. */
const SILENCE_MS = 100;

/** The end of an execution may come before its run is opened, which takes long here. */
const SWEPT = { lost: 0, doubled: 0, late: 0 };

/** One request of so many is lost. Losses come in a row, as where a network is down: the client gives up then. */
const SELDOM = 16;
const OFTEN = 2;

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
        let odds = SELDOM;
        proxy.lose(() => {
          const isLost = left > 0 && trial.number(1, odds) === 1;
          odds = isLost ? OFTEN : SELDOM;
          if (!isLost) return undefined;
          left -= 1;
          return trial.pick(LOSSES);
        });
        trial.defer(() => proxy.lose(() => undefined));
        const played = { ...scenario, seed: trial.number(0, 2 ** 31 - 1), delivery: SWEPT };
        const lossy = await play(played, table);
        // What is lost is repeated, so that all ends as it does without losses; a stop may come at another moment.
        const isSame = scenario.stops.length > 0 || endsOf(lossy) === endsOf(await play(played));
        return [...faultsOf(lossy), ...(isSame ? [] : [`it ends as ${endsOf(lossy)}`])].map(
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

function endsOf({ tree }: Played): string {
  return tree.map(({ path, status }) => `${path} ${status}`).join();
}
