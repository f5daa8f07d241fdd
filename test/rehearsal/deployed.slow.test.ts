import { afterAll, beforeAll, expect, test } from 'vitest';
import * as batches from './batches.ts';
import * as coding from './coding.ts';
import * as command from './command.ts';
import * as delegations from './delegations.ts';
import { deploy, rehearsal } from './deployed.ts';
import * as doors from './doors.ts';
import * as evaluations from './evaluations.ts';
import * as pausing from './pausing.ts';
import * as programs from './programs.ts';
import * as questions from './questions.ts';
import * as remoteAgents from './remote-agents.ts';
import * as residents from './residents.ts';
import * as resume from './resume.ts';
import * as runs from './runs.ts';
import * as senses from './senses.ts';
import * as telemetry from './telemetry.ts';

beforeAll(
  async () =>
    deploy({
      agents: {
        ...batches.AGENTS,
        ...runs.AGENTS,
        ...resume.AGENTS,
        ...coding.AGENTS,
        ...command.AGENTS,
        ...delegations.AGENTS,
        ...doors.AGENTS,
        ...evaluations.AGENTS,
        ...pausing.AGENTS,
        ...programs.AGENTS,
        ...questions.AGENTS,
        ...remoteAgents.AGENTS,
        ...residents.AGENTS,
        ...senses.AGENTS,
        ...telemetry.AGENTS,
      },
      modules: senses.MODULES,
      lost: runs.LOST,
      settings: {
        ...coding.SETTINGS,
        ...(await telemetry.exporting()),
        ...(await batches.startProvider()),
      },
      secrets: { ...remoteAgents.SECRETS, ...batches.SECRETS },
      outside: await remoteAgents.serveBooking(),
      roles: {
        ...runs.ROLES,
        ...resume.ROLES,
        ...coding.ROLES,
        ...command.ROLES,
        ...delegations.ROLES,
        ...doors.ROLES,
        ...evaluations.ROLES,
        ...pausing.ROLES,
        ...programs.ROLES,
        ...questions.ROLES,
        ...remoteAgents.ROLES,
        ...residents.ROLES,
        ...senses.ROLES,
        ...telemetry.ROLES,
      },
    }),
  30_000,
);
afterAll(async () => {
  await rehearsal.close();
  await batches.stopProvider();
});

// Commands are not of the clock that residents move on. Runs of a schedule come last: they are of another day, and would be the newest.
command.describeCommand();
programs.describePrograms();
coding.describeCoding();
doors.describeDoors();
remoteAgents.describeRemoteAgents();
senses.describeSenses();
evaluations.describeEvaluations();
resume.describeResume();
delegations.describeDelegations();
telemetry.describeTelemetry();
questions.describeQuestions();
residents.describeResidents();
pausing.describePausing();
batches.describeBatches();
runs.describeRuns();

test('functions ask nothing of the table that their roles do not allow them', () => {
  expect([...rehearsal.refused]).toEqual([]);
});
