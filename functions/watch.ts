import { handle } from 'hono/aws-lambda';
import { functionWatchContext } from '../src/doors/api/cloud-context.ts';
import { createWatchApi } from '../src/doors/api/watch-api.ts';

/** Serves those who follow runs over the HTTP API. */
// oxlint-disable-next-line typescript/no-deprecated -- the package that hono 5 moves it to is not published yet
export const handler = handle(createWatchApi(functionWatchContext()));
