import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { startAll } from './start-all.mjs';

const states = new SFNClient({});
const stateMachineArn = process.env.MACHINE;

export const handler = ({ Records }) =>
  startAll(Records, (run) => states.send(new StartExecutionCommand({ stateMachineArn, ...run })));
