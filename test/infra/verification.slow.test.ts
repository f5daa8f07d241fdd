import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { Deployment } from '../../src/places/aws/deployment.ts';
import { readable, synthesise, type Synthesised } from './synthesise.ts';

const AGENTS = { plain: 'name = "plain"\nmodel = "offline/extractive"\n' };
const ROLE = 'VerificationSchedulerRole';

let verified: Synthesised;
let plain: Synthesised;
beforeAll(async () => {
  verified = await synthesise('dev', { agents: AGENTS });
  plain = await synthesise('dev', { agents: AGENTS, settings: { verify: false } });
});

/** An environment's published description, with references as `readable` gives them. */
function published({ resources }: Synthesised): Deployment {
  const [parameter] = resources('AWS::SSM::Parameter').values();
  return v.parse(Deployment, JSON.parse(readable(parameter?.Properties['Value'])));
}

describe('an environment with `verify`', () => {
  test('publishes what cadre verify needs', () => {
    expect(published(verified)).toMatchObject({ takesSignatures: true });
    expect(published(verified).verification).toEqual({
      startingMachineArn: '<SchedulesMachine>',
      schedulerRoleArn: `<${ROLE}.Arn>`,
    });
  });

  test('says so where its API takes tokens', async () => {
    const jwt = { issuer: 'https://login.example.org', audience: ['cadre'] };
    const stack = await synthesise('dev', { agents: AGENTS, settings: { jwt } });
    expect(published(stack)).toMatchObject({ takesSignatures: false });
  });

  test('has a role in which EventBridge Scheduler, for this account, may start what schedules start', () => {
    expect(verified.grantsOf(ROLE)).toEqual([
      { action: 'states:StartExecution', resource: '<SchedulesMachine>' },
    ]);
    const roles = [...verified.resources('AWS::IAM::Role')].filter(([id]) => id.startsWith(ROLE));
    expect(roles.map(([, { Properties }]) => Properties['AssumeRolePolicyDocument'])).toMatchObject([
      {
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
            Principal: { Service: 'scheduler.amazonaws.com' },
          },
        ],
      },
    ]);
  });

  test('has no schedule of its own', () => {
    expect(verified.resources('AWS::Scheduler::Schedule')).toEqual(new Map());
  });
});

describe('an environment without it', () => {
  test('has nothing of it, and without schedules nothing that starts them', () => {
    expect(published(plain)).not.toHaveProperty('verification');
    expect([...plain.resources('AWS::IAM::Role').keys()].filter((id) => id.startsWith(ROLE))).toEqual([]);
    // Of conversations, of leaves, and of batches.
    expect(plain.resources('AWS::StepFunctions::StateMachine').size).toBe(3);
  });
});

test.each([
  ['dev', true],
  ['staging', false],
  ['prod', false],
])('%s has it: %s', async (name, has) => {
  const stack = await synthesise(name, { agents: AGENTS });
  expect('verification' in published(stack)).toBe(has);
});
