/**
 * Dollars in us-east-1, as the services' pricing pages had them on the date below. Free tiers, logs, traces, data
 * transfer and storage are left out, and so are the tokens of the models.
 */
export const PRICES = {
  region: 'us-east-1',
  asOf: '2026-11-21',
  source: 'https://aws.amazon.com/<step-functions|lambda|dynamodb|s3|api-gateway>/pricing/',
  perMillion: {
    /** Standard workflows: a state entered, or tried again. */
    transitions: 25,
    /** Express workflows. */
    expressRequests: 1,
    /** In steps of 64 MB and 100 ms, the first 3.6 million of a month. */
    expressGigabyteSeconds: 16.67,
    lambdaRequests: 0.2,
    /** On arm64. */
    lambdaGigabyteSeconds: 13.33,
    /** On demand: up to 1 KB each. */
    tableWrites: 0.625,
    /** On demand, strongly consistent: up to 4 KB each. */
    tableReads: 0.125,
    objectPuts: 5,
    objectGets: 0.4,
    /** HTTP API. */
    apiRequests: 1,
  },
} as const;
