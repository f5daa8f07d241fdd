import { handle } from 'hono/aws-lambda';
import { HOUSE } from '../src/doors/api/cloud-house.ts';
import { createWatchApi } from '../src/doors/api/watch-api.ts';
import { openFunctionFollowing } from '../src/places/aws/cloud-function-following.ts';

// An HTTP API hands on whole answers only.
const watch = createWatchApi({ ...HOUSE, streams: false, environment: openFunctionFollowing() });

/** Serves those who follow runs over the HTTP API. */
// oxlint-disable-next-line typescript/no-deprecated -- the package that hono 5 moves it to is not published yet
export const handler = handle(watch);
