import { CONTROL_PLANE, DELIVERY_OF_EVENTS } from './account.ts';
import { BIG_STOP } from './big-stop.ts';
import { BUDGET } from './budget.ts';
import type { Campaign } from './campaign.ts';
import { CONCURRENCY } from './concurrency.ts';
import { CONNECTION } from './connection.ts';
import { CRASH } from './crash.ts';
import { FAULT } from './fault.ts';
import { FUNCTION_DEATH } from './function-death.ts';
import { LINK } from './link.ts';

export const CAMPAIGNS: readonly Campaign[] = [
  CRASH,
  FAULT,
  BUDGET,
  CONCURRENCY,
  LINK,
  FUNCTION_DEATH,
  DELIVERY_OF_EVENTS,
  CONTROL_PLANE,
  CONNECTION,
  BIG_STOP,
];
