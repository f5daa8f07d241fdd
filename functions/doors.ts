import { streamHandle } from 'hono/aws-lambda';
import { createDoors } from '../src/doors/api/doors.ts';
import { cloudPorts } from '../src/doors/api/cloud-ports.ts';
import { attendedElsewhere } from '../src/doors/api/attended-elsewhere.ts';

/** Serves clients of OpenAI and of MCP behind a function URL, which hands on answers while they are being written. */
// oxlint-disable-next-line typescript/no-deprecated -- the package that hono 5 moves it to is not published yet
export const handler = streamHandle(createDoors(attendedElsewhere(cloudPorts(import.meta.dirname, true))));
